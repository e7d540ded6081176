// expect: named below, cannot be read from JSON
// note: FixedText<6>{"cover"}, void
#include <tern/tern.hpp>

struct Book {
  int id;
  void* cover;
};

int main() {
  tern::App app;
  app.post("/x", [](tern::Json<Book>) { return "x"; });
}
