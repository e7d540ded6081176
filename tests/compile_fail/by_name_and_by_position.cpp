// expect: by position or by name
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/{a}/{b}", [](int, tern::Path<"b", int>) { return "x"; });
}
