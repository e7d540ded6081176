// One route with a plain function: the baseline for async_hello.cpp.
#include <tern/tern.hpp>

#include "../../examples/flags.hpp"

int main(int argc, char** argv) {
  tern::App app;
  app.get("/", [] { return std::string_view("Hello, World!"); });
  return app.run(examples::options(argc, argv));
}
