// expect: tern: an error mapping is
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.on_error([](int) {});
}
