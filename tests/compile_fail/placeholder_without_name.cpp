// expect: placeholder_needs_a_name_of_letters_digits_and_underscores
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/books/{}", [](int) { return "x"; });
}
