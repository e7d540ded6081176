// expect: tern: Query<T> and Form<T> take a struct whose members are the names
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", [](tern::Query<int>) { return "x"; });
}
