// Hello with Tern: what a user's file costs to compile.
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/hello", [] { return "Hello, World!"; });
  return app.run({.port = 8080});
}
