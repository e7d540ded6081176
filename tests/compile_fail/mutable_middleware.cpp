// expect: a mutable lambda cannot be one
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.use([n = 0](tern::Request&, tern::Next next) mutable {
    ++n;
    return next();
  });
}
