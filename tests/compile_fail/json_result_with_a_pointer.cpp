// expect: named below, cannot be written as JSON
// note: FixedText<6>{"cover"}, void
#include <tern/tern.hpp>

struct Book {
  int id;
  void* cover;
};

int main() {
  tern::App app;
  app.get("/x", []() -> Book { return {}; });
}
