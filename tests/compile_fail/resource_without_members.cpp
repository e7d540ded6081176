// expect: tern: a resource is default-constructible and has at least one member function
#include <tern/tern.hpp>

struct Mine {};

int main() {
  tern::App app;
  app.resource<Mine>("/x");
}
