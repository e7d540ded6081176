#pragma once

#include <tern/observe.hpp>
#include <tern/sqlite.hpp>
#include <tern/tern.hpp>
#include <tern/web.hpp>

// What the app needs from outside. It outlives the app.
struct Services {
  explicit Services(const tern::SqliteOptions& options, std::uint16_t admin = 9090) : db(options), admin_port(admin) {}

  tern::Sqlite db;
  tern::SqlStore sessions{db};
  std::uint16_t admin_port;
};

// What the session remembers, and who sends a request.
struct Member {
  std::string name;
};

void add_routes(tern::App& app, Services& services);
