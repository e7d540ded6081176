// expect: pattern_has_a_closing_brace_without_an_opening_one
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/books/id}", [] { return "x"; });
}
