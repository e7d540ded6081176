// expect: pattern_has_a_character_which_never_matches
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.on(tern::Method::Get, "/a?b", [] { return "x"; });
}
