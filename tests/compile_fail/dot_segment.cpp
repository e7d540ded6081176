// expect: pattern_has_a_dot_segment_which_never_matches
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/a/../b", [] { return "x"; });
}
