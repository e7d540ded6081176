// expect: tern: a handler returns text, a number, a struct or container
#include <tern/tern.hpp>

class Mine {
public:
  explicit Mine(int) {}
};

int main() {
  tern::App app;
  app.get("/x", []() -> tern::Task<Mine> { co_return Mine(7); });
}
