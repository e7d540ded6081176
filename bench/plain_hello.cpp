// One route, answered by a plain function: what async_hello.cpp is compared with.
#include <tern/tern.hpp>

#include "../examples/flags.hpp"

int main(int argc, char** argv) {
  tern::App app;
  app.get("/", [] { return std::string_view("Hello, World!"); });
  return app.run(examples::options(argc, argv));
}
