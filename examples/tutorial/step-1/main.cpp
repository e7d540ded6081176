#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/", [] { return "The shed is open.\n"; });
  return app.run({.port = 8080});
}
