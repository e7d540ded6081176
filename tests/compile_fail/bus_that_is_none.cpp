// expect: App::bus() takes what is derived from tern::Bus
#include <tern/tern.hpp>

struct Redis {};

int main() {
  tern::App app;
  app.bus(Redis{});
}
