// expect: a hook takes nothing and returns nothing or tern::Task<>
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.on_start([](tern::App&) {});
}
