// expect: placeholder_has_an_empty_regular_expression
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/{id:}", [](int) { return "x"; });
}
