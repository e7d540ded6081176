// Statements that share connections, and the pool.
#include "postgres/postgres_testing.hpp"
#include "postgres/relay.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace tern::postgres {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class PostgresPipeline : public PostgresTest {
protected:
  PostgresPipeline() { begin(); }

  std::string relayed() const {
    return "host=" + folder.path.string() +
           " port=1 user=postgres dbname=postgres options='-c search_path=" + schema.name() + "'";
  }
  std::string target() const { return shared_server().folder() + "/.s.PGSQL.5432"; }
  static std::string activity(const std::string& condition) {
    return shared_server().run("select count(*) from pg_stat_activity where " + condition);
  }
  static bool becomes(const std::string& condition, const std::string& count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (activity(condition) != count && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return activity(condition) == count;
  }
};

TEST_F(PostgresPipeline, statements_of_one_iteration_leave_in_one_write) {
  Relay relay(folder.path.string(), target());
  Postgres piped(options(relayed()));
  run([&]() -> Task<> {
    co_await piped.scalar<int>("select $1::int", 0);
    relay.forget();
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 20; ++i) tasks.push_back(piped.scalar<int>("select $1::int", i));
    const std::vector<int> results = co_await when_all(std::move(tasks));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)], i);
  });
  const std::vector<std::string> writes = relay.writes();
  ASSERT_THAT(writes, SizeIs(1));
  // A Sync behind each.
  std::size_t syncs = 0;
  for (std::size_t at = 0; (at = writes[0].find(std::string("S\0\0\0\4", 5), at)) != std::string::npos; ++at) ++syncs;
  EXPECT_EQ(syncs, 20U);
}

TEST_F(PostgresPipeline, statements_of_several_iterations_leave_together_behind_enough_others) {
  Relay relay(folder.path.string(), target());
  PostgresOptions single = options(relayed());
  single.max_connections = 1;
  Postgres piped(single);
  constexpr int count = 60;
  std::vector<int> results;
  run([&]() -> Task<> {
    co_await piped.scalar<int>("select $1::int", 0);
    co_await piped.execute("select pg_sleep($1::float8)", 0.0);
    relay.forget();
    Scope scope;
    const auto sleep = [](const Postgres& database) -> Task<> {
      co_await database.execute("select pg_sleep($1::float8)", 0.1);
    };
    const auto ask = [](const Postgres& database, int number, std::vector<int>& into) -> Task<> {
      into.push_back(co_await database.scalar<int>("select $1::int", number));
    };
    scope.spawn(sleep(piped));
    for (int i = 0; i < count; ++i) {
      scope.spawn(ask(piped, i, results));
      Event next_iteration;
      Executor::current()->post([&next_iteration] { next_iteration.set(); });
      co_await next_iteration;
    }
    co_await scope.join();
  });
  std::vector<int> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(results, expected);
  EXPECT_LE(relay.writes().size(), 25U);  // 16 one by one, and the others
}

TEST_F(PostgresPipeline, one_that_fails_does_not_affect_the_others) {
  run([&] { return db.script("create table seen (x int primary key)"); });
  const auto outcomes = run([&]() -> Task<std::vector<std::string>> {
    const auto insert = [&](int x) -> Task<std::string> {
      try {
        co_await db.execute("insert into seen values ($1)", x);
        co_return "inserted";
      } catch (const SqlError& error) {
        co_return std::string(error.sqlstate());
      }
    };
    std::vector<Task<std::string>> tasks;
    for (const int x : {1, 2, 1, 3}) tasks.push_back(insert(x));
    co_return co_await when_all(std::move(tasks));
  });
  EXPECT_EQ(outcomes, (std::vector<std::string>{"inserted", "inserted", "23505", "inserted"}));
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from seen"); }), 3);
  EXPECT_EQ(db.statistics().connections, 1U);
}

TEST_F(PostgresPipeline, a_slow_statement_does_not_hold_up_later_ones) {
  const auto took = run([&]() -> Task<std::chrono::milliseconds> {
    Scope scope;
    const auto slow = [](const Postgres& database) -> Task<> { co_await database.execute("select pg_sleep(60)"); };
    co_await db.connect();
    scope.spawn(slow(db));
    co_await sleep_for(Milliseconds(100));
    const auto begin = std::chrono::steady_clock::now();
    co_await db.scalar<int>("select 1");
    const auto end = std::chrono::steady_clock::now();
    scope.stop();
    co_await scope.join();
    co_return std::chrono::duration_cast<std::chrono::milliseconds>(end - begin);
  });
  EXPECT_LT(took.count(), 30'000);
  EXPECT_EQ(db.statistics().cancelled, 1U);
}

TEST_F(PostgresPipeline, a_changed_table_is_read_anew) {
  run([&] { return db.script("create table t (x int); insert into t values (1)"); });
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select * from t"); }), 1);
  run([&] { return db.execute("alter table t alter x type text"); });
  EXPECT_EQ(run([&] { return db.scalar<std::string>("select * from t"); }), "1");
}

TEST_F(PostgresPipeline, prepared_statements_are_bounded) {
  PostgresOptions few = options();
  few.statement_cache = 4;
  const Postgres bounded(few);
  const auto count = run([&]() -> Task<std::int64_t> {
    for (int i = 0; i < 40; ++i) co_await bounded.scalar<int>(runtime("select " + std::to_string(i)));
    co_return co_await bounded.scalar<std::int64_t>("select count(*) from pg_prepared_statements");
  });
  EXPECT_LE(count, 5);
}

// --- Cancellation

TEST_F(PostgresPipeline, a_stopped_statement_is_cancelled_in_the_database) {
  const std::string slow = "query like 'select pg_sleep(61)%' and state = 'active'";
  run([&]() -> Task<> {
    try {
      co_await with_timeout(Milliseconds(200), db.execute("select pg_sleep(61)"));
      ADD_FAILURE() << "it has ended";
    } catch (const TimedOut&) {
    }
  });
  EXPECT_TRUE(becomes(slow, "0"));
  EXPECT_EQ(run([&] { return db.scalar<int>("select 1"); }), 1);
  EXPECT_EQ(db.statistics().cancelled, 1U);
  EXPECT_EQ(db.statistics().reconnects, 0U);
}

TEST_F(PostgresPipeline, the_statement_of_a_client_that_leaves_is_cancelled) {
  App served;
  served.state(db);
  served.get("/slow", [](State<Postgres> database) -> Task<> { co_await database->execute("select pg_sleep(62)"); });
  served.start(one_loop());
  const std::string slow = "query like 'select pg_sleep(62)%' and state = 'active'";
  {
    net::Peer client = connect(served.port());
    ASSERT_TRUE(client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"));
    EXPECT_TRUE(becomes(slow, "1"));
  }
  EXPECT_TRUE(becomes(slow, "0"));
}

// A cancel request may arrive when the connection is at another statement: that one is sent again.
TEST_F(PostgresPipeline, others_are_not_cancelled_with_it) {
  PostgresOptions one = options();
  one.max_connections = 1;
  const Postgres narrow(one);
  const auto results = run([&]() -> Task<std::vector<int>> {
    const auto stopped = [&]() -> Task<int> {
      try {
        co_await with_timeout(Milliseconds(100), narrow.execute("select pg_sleep(60)"));
      } catch (const TimedOut&) {
      }
      co_return -1;
    };
    const auto innocent = [&](int i) -> Task<int> {
      co_return co_await narrow.scalar<int>("select $1::int from pg_sleep(0.01)", i);
    };
    co_await narrow.scalar<int>("select $1::int from pg_sleep(0.01)", 0);
    std::vector<Task<int>> tasks;
    tasks.push_back(stopped());
    for (int i = 0; i < 10; ++i) tasks.push_back(innocent(i));
    co_return co_await when_all(std::move(tasks));
  });
  EXPECT_EQ(results, (std::vector<int>{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(PostgresPipeline, statements_have_a_time_limit_in_the_database) {
  PostgresOptions brief = options();
  brief.statement_timeout = Milliseconds(100);
  const Postgres limited(brief);
  const Failure failure = error_of([&] { return limited.execute("select pg_sleep(60)"); });
  EXPECT_EQ(failure.kind, SqlErrorKind::Timeout);
  EXPECT_EQ(failure.state, "57014");
  EXPECT_EQ(run([&] { return limited.scalar<std::string>("select current_setting('statement_timeout')"); }), "100ms");
  // A transaction can have another one.
  run([&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> { co_await tx.execute("select pg_sleep(0.2)"); };
    co_await limited.transaction({.statement_timeout = Seconds(20)}, work);
  });
  EXPECT_EQ(run([&] { return limited.scalar<std::string>("select current_setting('statement_timeout')"); }), "100ms");
}

// --- The pool

TEST_F(PostgresPipeline, waiting_for_a_connection_is_bounded_in_time_and_number) {
  PostgresOptions small = options();
  small.max_connections = 1;
  small.max_waiting = 1;
  small.max_wait = Milliseconds(100);
  const Postgres narrow(small);
  run([&]() -> Task<> {
    const auto work = [&](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("select 1");
      const auto refused = [&]() -> Task<int> {
        try {
          co_await narrow.execute("select 1");
        } catch (const Overloaded&) {
          co_return 1;
        }
        co_return 0;
      };
      std::vector<Task<int>> tasks;
      tasks.push_back(refused());
      tasks.push_back(refused());
      const std::vector<int> results = co_await when_all(std::move(tasks));
      EXPECT_THAT(results, Each(1));
    };
    co_await narrow.transaction(work);
  });
  const sql::Statistics statistics = narrow.statistics();
  EXPECT_EQ(statistics.refused, 2U);
  EXPECT_EQ(statistics.waiting, 0U);
  EXPECT_EQ(statistics.in_use, 0U);
  EXPECT_EQ(run([&] { return narrow.scalar<int>("select 1"); }), 1);
}

TEST_F(PostgresPipeline, transactions_and_statements_take_turns_on_one_connection) {
  PostgresOptions small = options();
  small.max_connections = 1;
  const Postgres narrow(small);
  run([&] { return narrow.script("create table n (x int); insert into n values (0)"); });
  run([&]() -> Task<> {
    const auto add = [](sql::Transaction& tx) -> Task<> {
      const int x = co_await tx.scalar<int>("select x from n");
      co_await tx.execute("update n set x = $1", x + 1);
    };
    std::vector<Task<>> tasks;
    const auto read = [&]() -> Task<> { co_await narrow.scalar<int>("select x from n"); };
    for (int i = 0; i < 20; ++i) {
      tasks.push_back(narrow.transaction(add));
      tasks.push_back(read());
    }
    co_await when_all(std::move(tasks));
  });
  EXPECT_EQ(run([&] { return narrow.scalar<int>("select x from n"); }), 20);
  EXPECT_GT(narrow.statistics().waits.total_microseconds, 0U);
}

TEST_F(PostgresPipeline, surplus_and_old_connections_are_closed) {
  PostgresOptions brief = options();
  brief.idle_timeout = Milliseconds(1);
  brief.min_connections = 1;
  const Postgres many(brief);
  run([&]() -> Task<> {
    int together = 0;
    const auto work = [&](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("select 1");
      if (++together == 4) {
        EXPECT_EQ(many.statistics().connections, 4U);
      }
      while (together < 4) co_await sleep_for(Milliseconds(1));
    };
    std::vector<Task<>> tasks;
    for (int i = 0; i < 4; ++i) tasks.push_back(many.transaction(work));
    co_await when_all(std::move(tasks));
    while (many.statistics().connections > 1) co_await sleep_for(Milliseconds(20));
  });
}

TEST_F(PostgresPipeline, old_connections_are_replaced) {
  PostgresOptions brief = options();
  brief.max_lifetime = Milliseconds(10);
  const Postgres young(brief);
  run([&]() -> Task<> {
    const int first = co_await young.scalar<int>("select pg_backend_pid()");
    while (co_await young.scalar<int>("select pg_backend_pid()") == first) co_await sleep_for(Milliseconds(50));
  });
  EXPECT_EQ(young.statistics().reconnects, 0U);
}

TEST_F(PostgresPipeline, connections_end_with_the_last_handle) {
  const std::string own = "application_name = 'ending'";
  {
    const Postgres ending(options(schema.url() + " application_name=ending"));
    EXPECT_EQ(run([&] { return ending.scalar<int>("select 1"); }), 1);
    EXPECT_EQ(activity(own), "1");
  }
  EXPECT_TRUE(becomes(own, "0"));
}

// --- Rows in bounded memory

// Sanitizers keep memory that was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool counts_freed_memory = true;
#elif defined(__has_feature)
constexpr bool counts_freed_memory = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool counts_freed_memory = false;
#endif

std::size_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  status >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST_F(PostgresPipeline, a_gigabyte_is_streamed_in_bounded_memory) {
  struct Row {
    int number = 0;
    std::string text;
  };
  constexpr int rows = 16 * 1024;
  const auto [bytes, growth] = run([&]() -> Task<std::pair<std::size_t, std::size_t>> {
    auto stream = db.each<Row>("select x as number, repeat('x', 65536) as text from generate_series(1, $1) as x", rows);
    std::size_t total = 0;
    std::size_t most = 0;
    std::size_t before = 0;
    int expected = 0;
    while (const auto row = co_await stream.next()) {
      if (++expected != row->number) ADD_FAILURE() << row->number;
      total += row->text.size();
      if (expected == 100) before = resident_bytes();
      if (expected % 100 == 0) most = std::max(most, resident_bytes());
    }
    co_return std::pair(total, most > before ? most - before : 0);
  });
  EXPECT_EQ(bytes, std::size_t{rows} * 65536);
  if (!counts_freed_memory) {
    EXPECT_LT(growth, 16U * 1024 * 1024);
  }
  EXPECT_EQ(db.statistics().in_use, 0U);
}

// While the program does not ask for rows, none are sent: a batch has up to 128 rows.
TEST_F(PostgresPipeline, a_row_stream_does_not_run_ahead) {
  run([&]() -> Task<> {
    co_await db.script("create sequence seen");
    auto rows = db.each<std::int64_t>("select nextval('seen') from generate_series(1, 100000)");
    const auto made = [&]() -> Task<std::int64_t> {
      co_return co_await db.scalar<std::int64_t>("select last_value from seen");
    };
    for (int i = 0; i < 1000; ++i) {
      const auto row = co_await rows.next();
      EXPECT_EQ(row, i + 1);
      if (i % 100 != 0) continue;
      const std::int64_t ahead = co_await made();
      EXPECT_GE(ahead, i + 1);
      EXPECT_LE(ahead, i + 128);
    }
    const std::int64_t before = co_await made();
    co_await sleep_for(Milliseconds(100));
    EXPECT_EQ(co_await made(), before);
  });
}

TEST_F(PostgresPipeline, idle_connections_are_asked_whether_they_work) {
  Relay relay(folder.path.string(), target());
  PostgresOptions often = options(relayed());
  often.check_interval = Milliseconds(100);
  const Postgres piped(often);
  run([&] { return piped.connect(); });
  const std::string sync("S\0\0\0\4", 5);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto asked = [&] { return std::ranges::count(relay.writes(), sync) >= 2; };
  while (!asked() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(asked());
  EXPECT_EQ(run([&] { return piped.scalar<int>("select 1"); }), 1);
}

TEST_F(PostgresPipeline, an_idle_connection_that_does_not_answer_is_replaced) {
  testing::PostgresServer server;
  PostgresOptions often = options(server.url());
  often.check_interval = Milliseconds(50);
  often.statement_timeout = Milliseconds(100);
  often.connect_timeout = Milliseconds(200);
  const Postgres watched(often);
  run([&] { return watched.connect(Seconds(10)); });
  server.pause();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (watched.statistics().connections != 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(watched.statistics().connections, 0U);
  server.resume();
  run([&] { return watched.connect(Seconds(10)); });
  EXPECT_EQ(run([&] { return watched.scalar<int>("select 1"); }), 1);
  EXPECT_GE(watched.statistics().reconnects, 1U);
}

TEST_F(PostgresPipeline, a_row_is_bounded) {
  PostgresOptions small = options();
  small.max_message = 64 * 1024;
  const Postgres bounded(small);
  EXPECT_EQ(run([&] { return bounded.scalar<std::string>("select repeat('x', 60000)"); }).size(), 60'000U);
  const Failure failure = error_of([&] { return bounded.scalar<std::string>("select repeat('x', 70000)"); });
  EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
  EXPECT_THAT(failure.what, HasSubstr("max_message"));
  // Many rows may be more together.
  const auto rows =
      run([&] { return bounded.query<std::string>("select repeat('x', 1000) from generate_series(1, 200)"); });
  EXPECT_THAT(rows, SizeIs(200));
}

TEST_F(PostgresPipeline, a_row_stream_may_end_early) {
  run([&]() -> Task<> {
    auto stream = db.each<int>("select x from generate_series(1, 1000000) as x");
    EXPECT_EQ(co_await stream.next(), 1);
    EXPECT_EQ(co_await stream.next(), 2);
  });
  EXPECT_TRUE(becomes("state like 'idle in transaction%'", "0"));
  EXPECT_EQ(run([&] { return db.scalar<int>("select 1"); }), 1);
}

TEST_F(PostgresPipeline, row_streams_in_a_transaction_may_be_mixed_with_statements) {
  const int sum = run([&]() -> Task<int> {
    const auto work = [](sql::Transaction& tx) -> Task<int> {
      auto one = tx.each<int>("select x from generate_series(1, 300) as x");
      auto other = tx.each<int>("select x from generate_series(1, 300) as x");
      int total = 0;
      while (const auto row = co_await one.next()) {
        total += *row + *co_await other.next();
        if (*row % 100 == 0) total += co_await tx.scalar<int>("select 1");
      }
      co_return total;
    };
    co_return co_await db.transaction(work);
  });
  EXPECT_EQ(sum, 300 * 301 + 3);
}

}  // namespace
}  // namespace tern::postgres
