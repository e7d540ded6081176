// Starts @NAME@. Settings come from @NAME@.toml, the environment and the command line: @NAME@ --help
#include "app.hpp"

#include <tern/config.hpp>
#include <tern/observe.hpp>

#include <cstdio>
#include <exception>

namespace {

struct Config {
  DatabaseOptions database = default_database;
  std::uint16_t admin_port = 9090;
  tern::Options server = {};
};

int serve(int argc, char** argv) {
  auto config = tern::config<Config>(argc, argv, {.name = "@NAME@", .version = "0.1.0"});
  const Database database(config->database);
  tern::App app;
  add_routes(app, database);
  // On loopback: /metrics, and /readyz, which is 503 while the database does not answer.
  app.admin({.port = config->admin_port}).pool("database", database).check("database", [database]() -> tern::Task<> {
    co_await database.scalar<int>("select 1");
  });
  config.follow(app, &Config::server);
  return app.run(config->server);  // until SIGINT or SIGTERM, which finish the requests in flight
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return serve(argc, argv);
  } catch (const std::exception& error) {  // such as a database that cannot be opened
    std::fprintf(stderr, "@NAME@: %s\n", error.what());
    return 1;
  }
}
