// expect: extractors (tern::Query, tern::Json
#include <tern/tern.hpp>

struct Mine {};

int main() {
  tern::App app;
  app.get("/x", [](Mine) { return "x"; });
}
