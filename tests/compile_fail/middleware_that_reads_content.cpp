// expect: tern: a middleware is callable as m(tern::Request&, tern::Next) const
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.use([](tern::Body, tern::Next next) { return next(); });
}
