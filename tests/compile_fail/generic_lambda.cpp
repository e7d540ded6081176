// expect: it cannot take `auto`
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/{id}", [](auto id) { return id; });
}
