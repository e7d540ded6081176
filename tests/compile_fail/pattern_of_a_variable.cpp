// expect: is passed as tern::runtime(text)
#include <tern/tern.hpp>

int main() {
  tern::App app;
  const std::string path = "/x";
  app.get(path, [] { return "x"; });
}
