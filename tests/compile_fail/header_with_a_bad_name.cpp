// expect: tern: the name of a header is a token
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", [](tern::Header<"bad name">) { return "x"; });
}
