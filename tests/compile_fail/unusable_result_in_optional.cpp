// expect: tern: a handler returns text, a number, a struct or container
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", []() -> std::optional<void*> { return nullptr; });
}
