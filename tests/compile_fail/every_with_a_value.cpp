// expect: App::every() takes what takes nothing and returns nothing or tern::Task<>
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.every(tern::Seconds(1), [] { return 1; });
}
