// expect: spawn() takes a tern::Task<>
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", [] {
    tern::spawn([]() -> tern::Task<int> { co_return 1; });
    return "x";
  });
}
