// Notifications, the bus, COPY, migrations and stores against a real PostgreSQL.
#include "postgres/postgres_testing.hpp"
#include "server/websocket_client.hpp"
#include "sql/store_contract.hpp"

#include <tern/postgres/bus.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <string>
#include <vector>

namespace tern::postgres {
namespace {

using ::testing::HasSubstr;

class PostgresFeatures : public PostgresTest {
protected:
  PostgresFeatures() { begin(); }
};

// --- Notifications

TEST_F(PostgresFeatures, notifications_arrive_in_their_order) {
  run([&]() -> Task<> {
    NotificationStream notifications = db.listen({"orders", "with \"quotes\""});
    co_await notifications.listen();
    co_await db.notify("other", "not this");
    for (int i = 0; i < 3; ++i) co_await db.notify("orders", std::to_string(i));
    co_await db.notify("with \"quotes\"", "");
    for (int i = 0; i < 3; ++i) {
      const Notification one = co_await notifications.next();
      EXPECT_EQ(one.channel, "orders");
      EXPECT_EQ(one.payload, std::to_string(i));
      EXPECT_FALSE(one.missed);
    }
    EXPECT_EQ((co_await notifications.next()).channel, "with \"quotes\"");
  });
}

TEST_F(PostgresFeatures, a_stream_says_that_it_has_missed_some) {
  run([&]() -> Task<> {
    NotificationStream notifications = db.listen({"orders"});
    co_await notifications.listen();
    co_await db.execute("select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen \"orders\"%'");
    EXPECT_TRUE((co_await notifications.next()).missed);
    co_await db.notify("orders", "again");
    EXPECT_EQ((co_await notifications.next()).payload, "again");
  });
}

TEST_F(PostgresFeatures, a_slow_reader_of_notifications_loses_none) {
  run([&]() -> Task<> {
    NotificationStream notifications = db.listen({"many"});
    co_await notifications.listen();
    co_await db.execute("select pg_notify('many', x || repeat('x', 1000)) from generate_series(1, 5000) as x");
    for (int i = 1; i <= 5000; ++i) {
      const Notification one = co_await notifications.next();
      if (!one.payload.starts_with(std::to_string(i) + 'x')) {
        ADD_FAILURE() << i << ": " << one.payload.substr(0, 10);
        break;
      }
    }
  });
}

TEST_F(PostgresFeatures, too_large_a_payload_is_an_error) {
  EXPECT_EQ(error_of([&] { return db.notify("orders", std::string(8000, 'x')); }).kind, SqlErrorKind::Parameter);
}

// --- The bus

// A server whose WebSockets subscribe to everything.
class BusServer {
public:
  explicit BusServer(const PostgresBusOptions& options) {
    app.bus(PostgresBus(options));
    app.websocket("/all", [](WebSocket socket) -> Task<> {
      socket.subscribe_filter("#");
      socket.send("ready");
      while (co_await socket.receive()) {
      }
    });
    Options quiet_options = quiet();
    quiet_options.threads = 2;
    app.start(quiet_options);
  }

  App app;
};

TEST_F(PostgresFeatures, servers_share_publications) {
  PostgresBusOptions bus;
  bus.database = options();
  bus.channel = schema.name();
  BusServer one(bus);
  BusServer other(bus);
  testing::WebSocketClient client(testing::HttpClient(one.app.port(), 0, false));
  EXPECT_EQ(client.connect("/all").status, 101);
  EXPECT_EQ(client.next(), "text ready");
  EXPECT_EQ(other.app.publish("news/today", "hello"), PublishStatus::Sent);
  client.next();
  EXPECT_EQ(client.payload(), "hello");
  // Larger than a notification.
  std::string large;
  for (int i = 0; i < 20'000; ++i) large += std::to_string(i) + ' ';
  EXPECT_EQ(other.app.publish("news/today", large), PublishStatus::Sent);
  client.next();
  EXPECT_EQ(client.payload(), large);
  EXPECT_EQ(other.app.publish_binary("news", std::string("\0\xFF", 2)), PublishStatus::Sent);
  client.next();
  EXPECT_EQ(client.payload(), std::string("\0\xFF", 2));
  // In order, and its own only once.
  for (int i = 0; i < 200; ++i) other.app.publish("n", std::to_string(i));
  for (int i = 0; i < 200; ++i) {
    client.next();
    EXPECT_EQ(client.payload(), std::to_string(i));
  }
  one.app.publish("n", "own");
  one.app.publish("n", "last");
  client.next();
  EXPECT_EQ(client.payload(), "own");
  client.next();
  EXPECT_EQ(client.payload(), "last");
  EXPECT_EQ(other.app.publish("n", std::string(300 * 1024, 'x')), PublishStatus::Dropped);
}

class CountingHost final : public BusHost {
public:
  void deliver(const Publication&) override {
    ++count;
    arrived.set();
  }
  void inform(std::string_view) override {}
  void warn(std::string_view) override {}
  Task<> await(int wanted) {
    while (count < wanted) {
      arrived.reset();
      co_await arrived;
    }
  }

  int count = 0;
  Event arrived;
};

TEST_F(PostgresFeatures, the_bus_counts_its_publications) {
  PostgresBusOptions bus;
  bus.database = options();
  bus.channel = schema.name();
  PostgresBus one(bus);
  PostgresBus other(bus);
  CountingHost host;
  CountingHost other_host;
  run([&]() -> Task<> {
    EXPECT_EQ(one.publish({"topic", "too early"}), PublishStatus::Dropped);
    co_await one.start(host);
    co_await other.start(other_host);
    one.publish({"topic", "hello"});
    one.publish({"topic", std::string(20'000, 'x')});  // several notifications
    EXPECT_EQ(one.publish({"topic", std::string(300 * 1024, 'x')}), PublishStatus::Dropped);
    co_await other_host.await(2);
    const BusStatistics sent = one.statistics().value();
    EXPECT_TRUE(sent.connected);
    EXPECT_EQ(sent.queued_bytes, 0U);
    EXPECT_EQ(sent.published, 2U);
    EXPECT_EQ(sent.dropped, 2U);
    EXPECT_EQ(sent.received, 0U);
    EXPECT_EQ(other.statistics().value().received, 2U);
    EXPECT_EQ(other.statistics().value().published, 0U);
    co_await one.stop();
    co_await other.stop();
    one.end();
    other.end();
    EXPECT_FALSE(one.statistics().value().connected);
    EXPECT_EQ(one.statistics().value().lost, 0U);
  });
}

// --- COPY

TEST_F(PostgresFeatures, copy_in_and_out) {
  run([&] { return db.script("create table big (x int, text text)"); });
  const std::int64_t rows = run([&]() -> Task<std::int64_t> {
    const auto produce = [](CopyWriter& writer) -> Task<> {
      std::string line;
      for (int i = 0; i < 100'000; ++i) {
        line = std::to_string(i) + ",\"row " + std::to_string(i) + "\"\n";
        co_await writer.write(line);
      }
    };
    co_return co_await db.copy_in("copy big from stdin with (format csv)", produce);
  });
  EXPECT_EQ(rows, 100'000);
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select sum(x) from big"); }), 4'999'950'000);
  run([&]() -> Task<> {
    CopyReader reader = db.copy_out("copy big to stdout with (format csv)");
    int count = 0;
    while (const auto row = co_await reader.next()) {
      if (*row != std::to_string(count) + ",row " + std::to_string(count) + '\n') ADD_FAILURE() << *row;
      ++count;
    }
    EXPECT_EQ(count, 100'000);
  });
  EXPECT_EQ(db.statistics().in_use, 0U);
}

TEST_F(PostgresFeatures, a_copy_that_fails_copies_nothing) {
  run([&] { return db.script("create table small (x int check (x > 0))"); });
  const auto wrong = [](CopyWriter& writer) -> Task<> { co_await writer.write("1\n-1\n"); };
  EXPECT_EQ(error_of([&]() -> Task<> { co_await db.copy_in("copy small from stdin", wrong); }).kind,
            SqlErrorKind::CheckViolation);
  const auto thrown = [](CopyWriter& writer) -> Task<> {
    co_await writer.write("1\n");
    throw std::runtime_error("no more");
  };
  EXPECT_TRUE(
      throws<std::runtime_error>(app, [&]() -> Task<> { co_await db.copy_in("copy small from stdin", thrown); }));
  EXPECT_EQ(error_of([&]() -> Task<> { co_await db.copy_in("select 1", thrown); }).kind, SqlErrorKind::Statement);
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from small"); }), 0);
}

TEST_F(PostgresFeatures, a_copy_may_end_early) {
  run([&]() -> Task<> {
    CopyReader reader = db.copy_out("copy (select generate_series(1, 10000000)) to stdout");
    EXPECT_EQ(co_await reader.next(), "1\n");
    EXPECT_EQ(co_await reader.next(), "2\n");
  });
  EXPECT_EQ(run([&] { return db.scalar<int>("select 1"); }), 1);
}

TEST_F(PostgresFeatures, a_copy_in_a_transaction_is_a_part_of_it) {
  run([&] { return db.script("create table small (x int check (x > 0))"); });
  const auto lines = [](CopyWriter& writer) -> Task<> { co_await writer.write("1\n2\n"); };
  const auto wrong = [](CopyWriter& writer) -> Task<> { co_await writer.write("-1\n"); };
  const auto work = [&](sql::Transaction& tx) -> Task<> {
    EXPECT_EQ(co_await db.copy_in(tx, "copy small from stdin", lines), 2);
    const auto outside = co_await db.scalar<std::int64_t>("select count(*) from small");
    EXPECT_EQ(co_await tx.scalar<std::int64_t>("select count(*) from small"), outside + 2);
    const auto fails = [&](sql::Transaction& inner) -> Task<> {
      co_await db.copy_in(inner, "copy small from stdin", wrong);
    };
    SqlErrorKind kind = SqlErrorKind::Other;
    try {
      co_await tx.transaction(fails);
    } catch (const SqlError& error) {
      kind = error.kind();
    }
    EXPECT_EQ(kind, SqlErrorKind::CheckViolation);
    CopyReader reader = db.copy_out(tx, "copy small to stdout");
    EXPECT_EQ(co_await reader.next(), "1\n");
    EXPECT_THROW(co_await tx.execute("select 1"), std::logic_error);
    while (co_await reader.next()) continue;
    EXPECT_EQ(co_await db.copy_in(tx, "copy small from stdin", lines), 2);
  };
  run([&]() -> Task<> { co_await db.transaction(work); });
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from small"); }), 4);
  const auto undone = [&](sql::Transaction& tx) -> Task<> {
    co_await work(tx);
    throw std::runtime_error("no");
  };
  EXPECT_TRUE(throws<std::runtime_error>(app, [&]() -> Task<> { co_await db.transaction(undone); }));
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from small"); }), 4);
}

TEST_F(PostgresFeatures, a_copy_that_outlives_its_transaction_has_ended) {
  std::optional<CopyReader> begun;
  std::optional<CopyReader> unread;
  const auto work = [&](sql::Transaction& tx) -> Task<> {
    unread.emplace(db.copy_out(tx, "copy (select 1) to stdout"));
    begun.emplace(db.copy_out(tx, "copy (select generate_series(1, 10000000)) to stdout"));
    EXPECT_EQ(co_await begun->next(), "1\n");
  };
  // It cannot be committed in the middle of its COPY.
  EXPECT_TRUE(throws<std::logic_error>(app, [&]() -> Task<> { co_await db.transaction(work); }));
  const auto rest = [](CopyReader& reader) -> Task<> {
    while (co_await reader.next()) continue;
  };
  for (CopyReader* reader : {&*begun, &*unread}) {
    EXPECT_EQ(error_of([&] { return rest(*reader); }).kind, SqlErrorKind::TransactionEnded);
  }
  run([&]() -> Task<> {
    begun.reset();
    unread.reset();
    while (db.statistics().in_use != 0) co_await sleep_for(Milliseconds(1));
    EXPECT_EQ(co_await db.scalar<int>("select 1"), 1);
  });
}

TEST_F(PostgresFeatures, a_copy_in_a_transaction_may_end_early) {
  const auto work = [&](sql::Transaction& tx) -> Task<> {
    {
      CopyReader reader = db.copy_out(tx, "copy (select generate_series(1, 10000000)) to stdout");
      EXPECT_EQ(co_await reader.next(), "1\n");
    }
    co_await tx.execute("select 1");
  };
  EXPECT_EQ(error_of([&]() -> Task<> { co_await db.transaction(work); }).state, "25P02");
  run([&]() -> Task<> {
    while (db.statistics().in_use != 0) co_await sleep_for(Milliseconds(1));
    EXPECT_EQ(co_await db.scalar<int>("select 1"), 1);
  });
}

TEST_F(PostgresFeatures, a_copy_in_a_transaction_of_another_database_is_refused) {
  const Postgres other(options());
  const auto lines = [](CopyWriter& writer) -> Task<> { co_await writer.write("1\n"); };
  const auto work = [&](sql::Transaction& tx) -> Task<> { co_await other.copy_in(tx, "copy small from stdin", lines); };
  EXPECT_TRUE(throws<std::invalid_argument>(app, [&]() -> Task<> { co_await db.transaction(work); }));
}

// --- Migrations

TEST_F(PostgresFeatures, two_servers_that_start_at_once_migrate_once) {
  const std::vector<sql::Migration> migrations = {{"0001_a.sql", "create table a (x int); select pg_sleep(0.2);"},
                                                  {"0002_b.sql", "insert into a values (1); create table b (y int)"}};
  App other;
  other.start(one_loop());
  const Postgres another(options());
  auto first =
      std::async(std::launch::async, [&] { return on_loop(app, [&] { return another.migrate(migrations); }); });
  auto second = std::async(std::launch::async, [&] { return on_loop(other, [&] { return db.migrate(migrations); }); });
  EXPECT_EQ(first.get() + second.get(), 2U);
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from a"); }), 1);
  EXPECT_EQ(run([&] { return db.migrate(migrations); }), 0U);
  EXPECT_EQ(error_of([&] { return db.migrate(std::vector<sql::Migration>{{"0001_a.sql", "changed"}}); }).kind,
            SqlErrorKind::Migration);
}

TEST_F(PostgresFeatures, migrations_have_states) {
  const std::vector<sql::Migration> migrations = {{"0001_a.sql", "create table a (x int)"}, {"0002_b.sql", "select 1"}};
  const auto states = [&] { return run([&] { return db.migration_states(migrations); }); };
  ASSERT_EQ(states().size(), 2U);
  EXPECT_EQ(states()[0].status, sql::MigrationStatus::Pending);
  EXPECT_EQ(run([&] { return db.migrate(migrations, 1); }), 1U);
  EXPECT_EQ(states()[0].status, sql::MigrationStatus::Done);
  EXPECT_NE(states()[0].run_at, "");
  EXPECT_EQ(states()[1].status, sql::MigrationStatus::Pending);
}

TEST_F(PostgresFeatures, a_migration_that_fails_leaves_nothing) {
  const std::vector<sql::Migration> migrations = {{"0001_a.sql", "create table a (x int); selec"}};
  const Failure failure = error_of([&] { return db.migrate(migrations); });
  EXPECT_EQ(failure.kind, SqlErrorKind::Migration);
  EXPECT_THAT(failure.what, HasSubstr("0001_a.sql"));
  EXPECT_EQ(error_of([&] { return db.execute("select * from a"); }).state, "42P01");
}

// --- In process

TEST(PostgresTestClient, runs_handlers_with_a_database_of_the_test) {
  const testing::PostgresSchema schema(shared_server());
  App app;
  app.state(Postgres("host=/nowhere"));
  app.post("/items/{name}", [](std::string name, State<Postgres> db) {
    return db->scalar<std::string>("insert into item values ($1) returning upper(name)", name);
  });
  app.get("/count", [](State<Postgres> db) -> Task<std::int64_t> {
    co_await sleep_for(Seconds(60));
    co_return co_await db->scalar<std::int64_t>("select count(*) from item");
  });
  shared_server().run("create table " + schema.name() + ".item (name text)");
  testing::Client client(app);
  client.override_state(Postgres(schema.url()));
  EXPECT_EQ(client.post("/items/a", "").body, "A");
  EXPECT_EQ(client.post("/items/b", "").body, "B");
  EXPECT_EQ(client.get("/count").body, "2");
}

// --- Sessions and other entries

}  // namespace

// With linkage: GCC warns of the coroutines of its calls otherwise, unless sources are compiled together.
struct StoreBackend {
  const sql::Database& database() const { return db; }
  template <class T>
  T run(Task<T> task) {
    return on_loop(app, [&]() -> Task<T> { co_return co_await std::move(task); });
  }

  StoreBackend() {
    Options options = quiet();
    options.threads = 1;
    app.start(options);
  }

  testing::PostgresSchema schema{shared_server()};
  App app;
  Postgres db{schema.url()};
};

}  // namespace tern::postgres

namespace tern::sql {
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, SqlStoreContract, postgres::StoreBackend);
}
