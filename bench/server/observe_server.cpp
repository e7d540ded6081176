// Hello with and without metrics and traces, as `script/bench observe` measures it. --observe metrics, or traces: with
// both, and a hundredth of the traces kept; log: with an access log in JSON. --observe dashboard is for `script/bench
// dashboard`: 200 routes below /routes, and /wait, which does not answer.
#include "../../examples/flags.hpp"

#include <tern/observe.hpp>
#include <tern/tern.hpp>

#include <string>

namespace {

void add_dashboard(tern::App& app) {
  for (int i = 0; i < 200; ++i) {
    app.get(tern::runtime("/routes/" + std::to_string(i)), [] { return "Hello, World!"; });
  }
  app.get("/wait", []() -> tern::Task<std::string> {
    co_await tern::sleep_for(tern::Seconds(100'000));
    co_return "";
  });
  app.dashboard("/-/", {.title = "Hello"});
}

}  // namespace

int main(int argc, char** argv) {
  std::string observe = "nothing";
  tern::Options options = examples::options(argc, argv, {{"--observe", observe}});
  tern::App app;
  app.get("/", [] { return "Hello, World!"; });
  if (observe == "metrics" || observe == "traces") app.admin({.port = 0});
  if (observe == "log") options.logging.access = tern::AccessLog::Json;
  if (observe == "dashboard") add_dashboard(app);
  if (observe == "traces") app.trace({.ratio = 0.01});
  return app.run(options);
}
