// expect: handler_takes_a_different_number_of_placeholders
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/{a}", tern::produces("text/csv", [](int, int) { return "a"; }));
}
