// expect: be a template or be overloaded
#include <tern/tern.hpp>

struct Mine {
  int operator()(int) const { return 1; }
  int operator()(long) const { return 1; }
};

int main() {
  tern::App app;
  app.get("/{id}", Mine{});
}
