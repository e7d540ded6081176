// expect: tern: a member of a query or form is
// note: FixedText<6>{"inner"}, Inner
#include <tern/tern.hpp>

struct Inner {
  int x;
};
struct Outer {
  Inner inner;
};

int main() {
  tern::App app;
  app.get("/x", [](tern::Query<Outer>) { return "x"; });
}
