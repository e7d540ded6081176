// One of the servers of sessions_test.py: a basket in a session, which is in Redis (--redis-socket), SQLite
// (--database) or PostgreSQL (--postgres).
#include <tern/postgres.hpp>
#include <tern/redis.hpp>
#include <tern/sqlite.hpp>
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include "../../examples/flags.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

struct Basket {
  std::string owner;
  std::vector<int> items;
};

void add(Basket& basket, int item) {
  basket.items.push_back(item);
}

void add_routes(tern::App& app, tern::Store& store) {
  const tern::Sessions<Basket> sessions({.store = &store, .plain_loopback = true});
  app.use(sessions);
  app.get("/", [](tern::Session<Basket> session) { return *session; });
  app.post("/login/{name}", [](tern::Session<Basket> session, std::string name) {
    session.login(name, Basket{name, session->items});
    return *session;
  });
  app.post("/items/{item}", [](tern::Session<Basket> session, int item) {
    session.update([](Basket& basket, int added) { add(basket, added); }, item);
  });
  app.post("/logout", [](tern::Session<Basket> session) { session.destroy(); });
  app.post("/logout-everywhere", [sessions](tern::Session<Basket> session) -> tern::Task<> {
    const std::string user(session.user());
    co_await sessions.end_all(user);
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::string socket;
  std::string path;
  std::string url;
  const tern::Options options =
      examples::options(argc, argv, {{"--redis-socket", socket}, {"--database", path}, {"--postgres", url}});
  std::optional<tern::Sqlite> sqlite;
  std::optional<tern::Postgres> postgres;
  std::unique_ptr<tern::Store> store;
  if (!path.empty()) {
    store = std::make_unique<tern::SqlStore>(sqlite.emplace(tern::SqliteOptions{.path = path}));
  } else if (!url.empty()) {
    store = std::make_unique<tern::SqlStore>(postgres.emplace(url));
  } else {
    store = std::make_unique<tern::RedisStore>(tern::Redis({.unix_path = socket, .timeout = tern::Seconds(5)}));
  }
  tern::App app;
  add_routes(app, *store);
  return app.run(options);
}
