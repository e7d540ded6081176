// expect: pattern_has_an_unclosed_brace
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/books/{id", [](int) { return "x"; });
}
