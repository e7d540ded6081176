// expect: pattern_uses_a_placeholder_name_twice
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.post("/{id}/{id}", [](int, int) { return "x"; });
}
