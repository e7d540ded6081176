// expect: tern: a handler is a function, a lambda, or an object with one const operator()
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", 7);
}
