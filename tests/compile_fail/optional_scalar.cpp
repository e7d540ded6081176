// expect: by value or const reference; one of its parameters is none of these
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/{id}", [](std::optional<int>) { return "x"; });
}
