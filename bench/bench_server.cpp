// What benchmarks and black-box checks run against; see docs/performance.md.
#include <tern/tern.hpp>

#include "../examples/flags.hpp"

struct Message {
  std::string_view message;
};

int main(int argc, char** argv) {
  tern::App app;
  app.get("/", [] { return "Hello, World!"; });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.get("/user/{id}", [](std::string_view id) { return id; });
  app.post("/echo", [](tern::Body body) { return body; });
  return app.run(examples::options(argc, argv));
}
