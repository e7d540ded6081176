// What graceful_stop_test.py stops under load: handlers that answer at once, after a timer, from the pool, and piece by
// piece.
#include <tern/tern.hpp>

#include "../../examples/flags.hpp"

#include <cstdint>
#include <string>

int main(int argc, char** argv) {
  tern::App app;
  app.get("/ready", [] { return "ready"; });
  app.get("/sleep/{milliseconds}", [](std::int32_t milliseconds) -> tern::Task<std::string> {
    co_await tern::sleep_for(tern::Milliseconds(milliseconds));
    co_return "slept";
  });
  app.get("/pool", tern::blocking([] { return "from the pool"; }));
  app.get("/pieces", [] {
    return tern::Response::stream("text/plain", [](tern::Writer& writer) -> tern::Task<> {
      for (int i = 0; i < 10; ++i) {
        co_await writer.write("a piece of text\n");
        co_await tern::sleep_for(tern::Milliseconds(1));
      }
    });
  });
  return app.run(examples::options(argc, argv));
}
