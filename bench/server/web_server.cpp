// Hello with and without middleware of tern::web, as `script/bench middleware` measures it.
#include "bench_flags.hpp"

#include <tern/tern.hpp>
#include <tern/web.hpp>

int main(int argc, char** argv) {
  const bench::Flags flags = bench::flags(argc, argv);
  tern::App app;
  const auto hello = [] { return "Hello, World!"; };
  app.get("/none", hello);  // paths of one length
  app.get("/head", hello).use(tern::SecurityHeaders());
  app.get("/name", hello).use(tern::RequestIds());
  app.get("/both", hello).use(tern::RequestIds()).use(tern::SecurityHeaders());
  return app.run(flags.options);
}
