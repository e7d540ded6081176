// The server of service_test.py:
//   supervised-server PORT [--unix PATH] [--handover] [--broken-if FILE] [--listener NAME]
// With --broken-if, it ends with status 3 if the file is there. --listener adds one of that name, with a free port.
#include <tern/base/number.hpp>
#include <tern/tern.hpp>

#include <poll.h>
#include <unistd.h>
#include <cstdio>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  tern::Options options;
  options.threads = 2;
  options.port = tern::base::parse_integer<std::uint16_t>(argc > 1 ? argv[1] : "").value_or(0);
  for (int i = 2; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--handover") {
      options.handover = true;
    } else if (flag == "--unix" && i + 1 < argc) {
      options.unix_path = argv[++i];
    } else if (flag == "--listener" && i + 1 < argc) {
      options.listeners.push_back({.name = argv[++i]});
    } else if (flag == "--broken-if" && i + 1 < argc) {
      if (::access(argv[++i], F_OK) == 0) return 3;
    } else {
      std::fprintf(stderr, "usage: %s PORT [--unix PATH] [--handover] [--broken-if FILE] [--listener NAME]\n", argv[0]);
      return 2;
    }
  }
  tern::App app;
  app.get("/pid", [] { return std::int64_t{::getpid()}; });
  app.get("/listener", [](tern::Request& request) { return "listener " + std::string(request.listener()); });
  for (const tern::Listener& listener : options.listeners) {
    app.listener(listener.name).get("/listener", [](tern::Request& request) {
      return "listener " + std::string(request.listener());
    });
  }
  app.get("/sleep/{ms}", [](std::uint16_t time) -> tern::Task<std::string> {
    co_await tern::sleep_for(tern::Milliseconds(time));
    co_return "slept";
  });
  // Blocks its loop.
  app.get("/stall/{ms}", [](std::uint16_t time) {
    ::poll(nullptr, 0, time);
    return "stalled";
  });
  app.on_reload([] { tern::log(tern::LogLevel::Info, "read again"); });
  return app.run(options);
}
