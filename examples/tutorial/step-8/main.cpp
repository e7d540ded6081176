#include "app.hpp"

#include <tern/config.hpp>

struct Config {
  std::string database = "shed.db";
  std::uint16_t admin_port = 9090;
  tern::Options server = {
      .port = 8080,
      .proxies = {.trusted = {"127.0.0.1"}},
      .timeouts = {.drain_delay = tern::Seconds(5)},
      .logging = {.access = tern::AccessLog::Json},
  };
};

int main(int argc, char** argv) {
  auto config = tern::config<Config>(argc, argv, {.name = "shed", .description = "Lends tools.", .version = "1.0"});
  Services services({.path = config->database}, config->admin_port);
  tern::App app;
  add_routes(app, services);
  config.follow(app, &Config::server);
  return app.run(config->server);
}
