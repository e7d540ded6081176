// expect: tern: a QueryParam is a scalar
#include <tern/tern.hpp>

struct Page {
  int limit;
};

int main() {
  tern::App app;
  app.get("/x", [](tern::QueryParam<"page", Page>) { return "x"; });
}
