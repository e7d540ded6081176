// expect: rest_placeholder_must_be_the_last_segment
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/{path...}/edit", [](std::string) { return "x"; });
}
