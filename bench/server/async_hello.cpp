// One route with a coroutine that does not suspend, to compare with plain_hello.cpp.
#include <tern/tern.hpp>

#include "../../examples/flags.hpp"

int main(int argc, char** argv) {
  tern::App app;
  app.get("/", []() -> tern::Task<std::string_view> { co_return "Hello, World!"; });
  return app.run(examples::options(argc, argv));
}
