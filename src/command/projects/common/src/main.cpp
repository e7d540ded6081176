// Starts @NAME@.   @NAME@ [HOST [PORT]]
#include "app.hpp"

#include <tern/base/number.hpp>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  const std::string host = argc > 1 ? argv[1] : "127.0.0.1";
  const auto port = tern::base::parse_integer<std::uint16_t>(argc > 2 ? argv[2] : "8080");
  if (argc > 3 || !port) {
    std::fprintf(stderr, "usage: %s [HOST [PORT]]\n", argv[0]);
    return 2;
  }
  tern::App app;
  add_routes(app);
  return app.run({.host = host, .port = *port});  // until SIGINT or SIGTERM, which finish the requests in flight
}
