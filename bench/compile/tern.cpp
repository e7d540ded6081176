// Hello with Tern: measures the compile time of a user's file.
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/hello", [] { return "Hello, World!"; });
  return app.run({.port = 8080});
}
