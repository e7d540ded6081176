// Hello with and without metrics and traces, as `script/bench observe` measures it. --observe metrics, or traces: with
// both, and a hundredth of the traces kept.
#include "../../examples/flags.hpp"

#include <tern/observe.hpp>
#include <tern/tern.hpp>

#include <string>

int main(int argc, char** argv) {
  std::string observe = "nothing";
  const tern::Options options = examples::options(argc, argv, {{"--observe", observe}});
  tern::App app;
  app.get("/", [] { return "Hello, World!"; });
  if (observe != "nothing") app.admin({.port = 0});
  if (observe == "traces") app.trace({.ratio = 0.01});
  return app.run(options);
}
