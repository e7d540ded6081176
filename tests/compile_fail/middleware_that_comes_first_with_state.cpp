// expect: tern: a middleware that comes first takes (tern::Request&, tern::Next)
#include <tern/tern.hpp>

struct Early {
  static constexpr bool comes_first = true;
  tern::Reply operator()(tern::State<int>, tern::Next next) const { return next(); }
};

int main() {
  tern::App app;
  app.use(Early());
}
