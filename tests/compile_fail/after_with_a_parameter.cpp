// expect: work after a response takes nothing and returns nothing
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", [] { return tern::Response::text("x").after([](tern::Request&) {}); });
}
