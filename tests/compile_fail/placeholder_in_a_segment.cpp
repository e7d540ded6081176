// expect: placeholder_must_fill_its_whole_segment
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/books/{id}.txt", [](int) { return "x"; });
}
