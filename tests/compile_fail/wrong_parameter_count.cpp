// expect: handler_takes_a_different_number_of_placeholders
// note: 2
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/books/{id}/{chapter}", [](int) { return "x"; });
}
