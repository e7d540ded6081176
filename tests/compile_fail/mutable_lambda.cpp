// expect: a mutable lambda cannot be one
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", [count = 0]() mutable { return ++count; });
}
