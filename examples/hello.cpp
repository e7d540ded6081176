// The smallest Tern service: one route.
//
//   curl http://127.0.0.1:8080/hello
#include <tern/tern.hpp>

#include "flags.hpp"

int main(int argc, char** argv) {
  tern::App app;
  app.get("/hello", [] { return "Hello, World!"; });
  return app.run(examples::options(argc, argv));
}
