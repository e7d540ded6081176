// expect: tern: a middleware returns tern::Reply
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.group("/x").use([](tern::Request&, tern::Next) { return "x"; });
}
