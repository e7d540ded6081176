// expect: pattern_must_begin_with_a_slash
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("books", [] { return "x"; });
}
