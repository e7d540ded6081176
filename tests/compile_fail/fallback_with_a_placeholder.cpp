// expect: tern: a fallback has no pattern
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.fallback([](int id) { return id; });
}
