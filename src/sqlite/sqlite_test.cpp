// Files, limits, and connections that are shared.
#include "sqlite/sqlite_testing.hpp"

#include "coro/manual_executor.hpp"

#include <tern/http/observer.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/thread_pool.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tern::sqlite {
namespace {

using ::testing::HasSubstr;

constexpr const char* endless =
    "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

class SqliteFile : public ::testing::Test {
protected:
  SqliteFile() { executor_.pool = &pool_; }

  // Runs the loop and the pool until the task ends.
  template <class T>
  void finish(coro::StartedTask<T>& running) {
    while (!running.ended()) {
      if (pool_.waiting != 0) pool_.run_one();
      executor_.run();
    }
  }

  base::TestFolder folder_;
  std::string path_ = folder_.path / "test.db";
  coro::ManualExecutor executor_;
  coro::ManualPool pool_;
};

template <class F>
SqlError opening_error(F open) {
  try {
    open();
  } catch (const SqlError& error) {
    return error;
  }
  return {SqlErrorKind::Other, "it opens"};
}

TEST_F(SqliteFile, keeps_its_rows) {
  executor_.pool = nullptr;
  {
    const Sqlite db({.path = path_});
    std::thread([&] { now(db.script("create table t (x integer); insert into t values (7)")); }).join();
  }
  const Sqlite again({.path = path_});
  int x = 0;
  std::thread([&] { x = now(again.scalar<int>("select x from t")); }).join();
  EXPECT_EQ(x, 7);
}

TEST_F(SqliteFile, that_is_no_database_is_an_error_of_the_start) {
  std::ofstream(path_) << std::string(4096, 'x');
  const SqlError error = opening_error([&] { const Sqlite db({.path = path_}); });
  EXPECT_EQ(error.kind(), SqlErrorKind::NotADatabase);
  EXPECT_THAT(error.what(), HasSubstr(path_));
}

TEST_F(SqliteFile, that_cannot_be_opened_is_an_error_of_the_start) {
  const SqlError error = opening_error([&] { const Sqlite db({.path = folder_.path / "none" / "x.db"}); });
  EXPECT_EQ(error.kind(), SqlErrorKind::Unavailable);
  EXPECT_THAT(error.what(), HasSubstr("none/x.db"));
  EXPECT_EQ(opening_error([&] { const Sqlite db({.path = path_, .read_only = true}); }).kind(),
            SqlErrorKind::Unavailable);
}

TEST_F(SqliteFile, that_is_read_only_refuses_to_write) {
  const Sqlite maker({.path = path_});
  coro::StartedTask<std::int64_t> making(maker.script("create table t (x integer)"));
  finish(making);
  making.result();
  const Sqlite db({.path = path_, .read_only = true});
  coro::StartedTask<std::int64_t> writing(db.execute("insert into t values (1)"));
  finish(writing);
  try {
    writing.result();
    ADD_FAILURE();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.kind(), SqlErrorKind::ReadOnly);
  }
}

TEST_F(SqliteFile, that_another_program_has_locked_is_busy) {
  const Sqlite db({.path = path_, .busy_timeout = Milliseconds(3)});
  const Sqlite other({.path = path_});
  const auto hold = [&](sql::Transaction&) -> Task<> {
    coro::StartedTask<std::int64_t> writing(db.script("create table t (x integer)"));
    while (!writing.ended()) {
      if (pool_.waiting != 0) pool_.run_one();
      executor_.run();
    }
    try {
      writing.result();
      ADD_FAILURE();
    } catch (const SqlError& error) {
      EXPECT_EQ(error.kind(), SqlErrorKind::Busy);
    }
    co_return;
  };
  coro::StartedTask<> holding(other.transaction(hold));
  finish(holding);
  holding.result();
  coro::StartedTask<std::int64_t> writing(db.script("create table t (x integer)"));
  finish(writing);
  EXPECT_EQ(writing.result(), 0);
}

TEST_F(SqliteFile, backup_is_a_database_of_its_own) {
  const Sqlite db({.path = path_, .sync = SqliteSync::Off});
  const std::string copy = folder_.path / "copy.db";
  const auto work = [&]() -> Task<int> {
    co_await db.script("create table t (x text)");
    for (int i = 0; i < 100; ++i) co_await db.execute("insert into t values ($1)", std::string(5000, 'x'));
    co_await db.backup(copy);
    co_await db.script("delete from t");
    const Sqlite second({.path = copy});
    co_return co_await second.scalar<int>("select count(*) from t");
  };
  coro::StartedTask<int> running(work());
  finish(running);
  EXPECT_EQ(running.result(), 100);
  coro::StartedTask<> twice(db.backup(copy));
  finish(twice);
  EXPECT_THAT(twice.error(), HasSubstr("copy.db"));
}

TEST_F(SqliteFile, statements_that_take_too_long_are_ended) {
  const Sqlite db({.path = path_, .statement_timeout = Milliseconds(5)});
  coro::StartedTask<std::int64_t> running(db.scalar<std::int64_t>(runtime(endless)));
  finish(running);
  try {
    running.result();
    ADD_FAILURE();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.kind(), SqlErrorKind::Timeout);
  }
  coro::StartedTask<int> after(db.scalar<int>("select 1"));
  finish(after);
  EXPECT_EQ(after.result(), 1);
}

TEST_F(SqliteFile, a_running_statement_ends_when_it_is_cancelled) {
  ThreadPool threads({.threads = 1});
  executor_.pool = &threads;
  const Sqlite db({.path = path_, .statement_timeout = Milliseconds(0)});
  StopState stop;
  coro::StartedTask<std::int64_t> running(db.scalar<std::int64_t>(runtime(endless)), &stop);
  while (threads.counts().running == 0) std::this_thread::yield();
  stop.stop();
  while (!running.ended()) executor_.run();
  EXPECT_EQ(running.error(), "cancelled");
}

TEST_F(SqliteFile, readers_do_not_wait_for_the_writer) {
  const Sqlite db({.path = path_, .readers = 1});
  const auto hold = [&](sql::Transaction& tx) -> Task<int> {
    co_await tx.script("create table t (x integer)");
    co_return co_await db.scalar<int>("select count(*) from sqlite_schema");
  };
  coro::StartedTask<int> running(db.transaction(hold));
  finish(running);
  EXPECT_EQ(running.result(), 0);
}

TEST_F(SqliteFile, waits_for_the_writer_are_in_order_and_bounded) {
  const Sqlite db({.path = path_, .max_waiting = 2});
  coro::StartedTask<std::int64_t> first(db.script("create table t (x integer)"));
  coro::StartedTask<std::int64_t> second(db.execute("insert into t values (1)"));
  StopState stop;
  coro::StartedTask<std::int64_t> cancelled(db.execute("insert into t values (2)"), &stop);
  coro::StartedTask<std::int64_t> refused(db.execute("insert into t values (3)"));
  EXPECT_EQ(refused.error(), "overloaded");
  EXPECT_EQ(pool_.waiting, 1U);
  stop.stop();
  executor_.run();
  EXPECT_EQ(cancelled.error(), "cancelled");
  coro::StartedTask<std::int64_t> third(db.execute("insert into t values (4)"));
  finish(third);
  EXPECT_EQ(second.result(), 1);
  EXPECT_EQ(third.result(), 1);
  EXPECT_EQ(executor_.timers_armed(), 0U);
}

TEST_F(SqliteFile, waits_for_the_writer_end_after_their_time) {
  const Sqlite db({.path = path_, .max_wait = Milliseconds(500)});
  coro::StartedTask<std::int64_t> first(db.script("create table t (x integer)"));
  coro::StartedTask<std::int64_t> second(db.execute("insert into t values (1)"));
  executor_.advance(499);
  EXPECT_FALSE(second.ended());
  executor_.advance(1);
  EXPECT_EQ(second.error(), "overloaded");
  finish(first);
  coro::StartedTask<std::int64_t> third(db.execute("insert into t values (1)"));
  finish(third);
  EXPECT_EQ(third.result(), 1);
}

TEST_F(SqliteFile, a_wait_that_is_destroyed_gives_its_turn_away) {
  const Sqlite db({.path = path_});
  coro::StartedTask<std::int64_t> first(db.script("create table t (x integer)"));
  coro::StartedTask<std::int64_t> second(db.execute("insert into t values (1)"));
  coro::StartedTask<std::int64_t> third(db.execute("insert into t values (2)"));
  pool_.run_one();  // gives the writer to the second
  second.destroy();
  finish(third);
  EXPECT_EQ(third.result(), 1);
}

TEST_F(SqliteFile, statistics_count_connections_waits_and_statements) {
  const Sqlite db({.path = path_, .readers = 2, .max_waiting = 1, .max_wait = Milliseconds(500)});
  sql::Statistics counts = db.statistics();
  EXPECT_EQ(counts.connections, 1U);
  EXPECT_EQ(counts.in_use, 0U);
  EXPECT_EQ(counts.statements, 0U);

  coro::StartedTask<std::int64_t> first(db.script("create table t (x integer); insert into t values (1), (2)"));
  coro::StartedTask<std::int64_t> second(db.execute("insert into t values (3)"));
  coro::StartedTask<std::int64_t> refused(db.execute("insert into t values (4)"));
  EXPECT_EQ(refused.error(), "overloaded");
  counts = db.statistics();
  EXPECT_EQ(counts.in_use, 1U);
  EXPECT_EQ(counts.waiting, 1U);
  EXPECT_EQ(counts.refused, 1U);
  executor_.advance(500);
  EXPECT_EQ(second.error(), "overloaded");
  finish(first);

  coro::StartedTask<std::int64_t> wrong(db.execute("insert into nothing values (1)"));
  finish(wrong);
  EXPECT_NE(wrong.error(), "nothing");
  const auto rows = [&]() -> Task<int> {
    auto stream = db.each<int>("select x from t");
    int sum = 0;
    while (const auto x = co_await stream.next()) sum += *x;
    auto dropped = db.each<int>("select x from t order by x");
    co_return sum + *co_await dropped.next();
  };
  coro::StartedTask<int> reading(rows());
  finish(reading);
  EXPECT_EQ(reading.result(), 4);
  // Begins as a read, and is run by the writer.
  coro::StartedTask<int> writing(db.scalar<int>("with a as (select 5 as x) insert into t select x from a returning x"));
  finish(writing);
  EXPECT_EQ(writing.result(), 5);

  counts = db.statistics();
  EXPECT_EQ(counts.connections, 2U);
  EXPECT_EQ(counts.in_use, 0U);
  EXPECT_EQ(counts.waiting, 0U);
  EXPECT_EQ(counts.refused, 2U);
  EXPECT_EQ(counts.statements, 5U);
  EXPECT_EQ(counts.errors, 1U);
  EXPECT_EQ(counts.waits.count(), 6U);
  EXPECT_EQ(counts.reconnects, 0U);
}

// Reads that share a transaction: each sees what was committed before it was called.
// "name label=value … = number", without those that are zero.
class FigureLines final : public http::FigureSink {
public:
  void counter(std::string_view name, std::string_view, double value, Labels labels) override {
    add(std::string(name) + "_total", value, labels);
  }
  void gauge(std::string_view name, std::string_view, double value, Labels labels) override {
    add(std::string(name), value, labels);
  }
  void histogram(std::string_view name, std::string_view, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double, Labels labels) override {
    EXPECT_EQ(counts.size(), bounds.size() + 1);
    EXPECT_DOUBLE_EQ(bounds[0], 50e-6);
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) sum += count;
    add(std::string(name) + "_count", static_cast<double>(sum), labels);
  }
  std::vector<std::string> lines;

private:
  void add(std::string line, double value, Labels labels) {
    if (value == 0) return;
    for (const http::FigureLabel& label : labels) {
      line.append(" ").append(label.name).append("=").append(label.value);
    }
    lines.push_back(line + " = " + std::to_string(static_cast<int>(value)));
  }
};

TEST(SqliteFigures, are_those_of_the_pool) {
  const base::TestFolder folder;
  const Sqlite db({.path = folder.path / "books.db"});
  now(db.script("create table t (x integer)"));
  now(db.execute("insert into t values (1)"));
  now(db.scalar<int>("select x from t"));
  EXPECT_EQ(error_of(db.execute("insert into missing values (1)")).kind(), SqlErrorKind::Statement);
  FigureLines sink;
  db.report(sink, "books");
  const std::string pool = " db_client_connection_pool_name=books";
  EXPECT_EQ(sink.lines,
            (std::vector<std::string>{"db_client_connection_count" + pool + " db_client_connection_state=idle = 2",
                                      "db_client_connection_wait_time_seconds_count" + pool + " = 4",
                                      "tern_db_statements_total" + pool + " outcome=ok = 3",
                                      "tern_db_statements_total" + pool + " outcome=error = 1"}));
}

TEST_F(SqliteFile, reads_see_what_was_committed_before_they_were_called) {
  const Sqlite db({.path = path_, .readers = 1, .sync = SqliteSync::Off});
  coro::StartedTask<std::int64_t> making(db.script("create table t (x integer); insert into t values (1)"));
  finish(making);
  const auto read = [&] { return db.scalar<int>("select sum(x) from t"); };
  coro::StartedTask<int> opening(read());
  finish(opening);  // a batch needs an open connection
  for (int round = 1; round <= 3; ++round) {
    coro::StartedTask<int> first(read());
    coro::StartedTask<int> second(read());
    coro::StartedTask<std::int64_t> writing(db.execute("update t set x = x + 1"));
    Job* const reads = pool_.take();
    pool_.run_one();  // the write
    executor_.run();
    ASSERT_TRUE(writing.ended());
    coro::StartedTask<int> third(read());
    reads->run();
    executor_.run();
    EXPECT_EQ(third.result(), round + 1);
    EXPECT_EQ(first.result(), round + 1);
    EXPECT_EQ(second.result(), round + 1);
  }
  EXPECT_EQ(db.statistics().in_use, 0U);
}

// One loop writes and reads what it has written, while another keeps the only reader busy.
TEST(SqliteThreads, read_their_writes_while_others_read) {
  const base::TestFolder folder;
  const Sqlite db({.path = folder.path / "shared.db", .readers = 1, .sync = SqliteSync::Off});
  now(db.script("create table t (id integer primary key, x integer); insert into t values (1, 0), (2, 0), (3, 0)"));
  ThreadPool threads({.threads = 2});
  std::atomic<bool> over = false;
  const auto loop = [&](auto work) {
    coro::ManualExecutor executor;
    executor.pool = &threads;
    Scope scope;
    for (int i = 1; i <= 3; ++i) scope.spawn(work(i));
    while (scope.running() != 0) {
      executor.run();
      std::this_thread::yield();
    }
  };
  const auto write = [&](int id) -> Task<> {
    for (int i = 1; i <= 100; ++i) {
      co_await db.execute("update t set x = $2 where id = $1", id, i);
      EXPECT_EQ(co_await db.scalar<int>("select x from t where id = $1", id), i);
    }
  };
  const auto read = [&](int id) -> Task<> {
    while (!over) co_await db.scalar<int>("select x from t where id = $1", id);
  };
  std::jthread readers([&] { loop(read); });
  std::thread([&] { loop(write); }).join();
  over = true;
}

// The loop of its own, as a server's.
TEST(SqliteThreads, share_one_database) {
  const base::TestFolder folder;
  const Sqlite db({.path = folder.path / "shared.db", .readers = 2, .sync = SqliteSync::Off});
  now(db.script("create table t (x integer)"));
  ThreadPool threads({.threads = 3});
  const auto work = [&] {
    coro::ManualExecutor executor;
    executor.pool = &threads;
    const auto loop = [&]() -> Task<> {
      for (int i = 0; i < 20; ++i) {
        co_await db.execute("insert into t values ($1)", i);
        co_await db.transaction([&](auto& tx) -> Task<> { co_await tx.execute("update t set x = x + 1"); });
        co_await db.query<int>("select x from t");
      }
    };
    coro::StartedTask<> running(loop());
    while (!running.ended()) {
      executor.run();
      std::this_thread::yield();
    }
    EXPECT_EQ(running.error(), "nothing");
  };
  std::vector<std::jthread> loops;
  for (int i = 0; i < 3; ++i) loops.emplace_back(work);
  loops.clear();
  EXPECT_EQ(now(db.scalar<int>("select count(*) from t")), 60);
}

struct NewNote {
  std::string text;
};

TEST(SqliteApp, is_a_state_of_handlers) {
  App app;
  app.state(Sqlite());
  app.on_error(sql_problem);
  app.post("/notes", [](State<Sqlite> db, Json<NewNote> note) -> Task<std::int64_t> {
    co_await db->script("create table if not exists note (id integer primary key, text text unique)");
    co_return co_await db->scalar<std::int64_t>("insert into note (text) values ($1) returning id", note->text);
  });
  app.get("/notes/{id}", [](std::int64_t id, State<Sqlite> db) -> Task<std::string> {
    co_return co_await db->scalar<std::string>("select text from note where id = $1", id);
  });
  tern::testing::Client client(app);
  EXPECT_EQ(client.post("/notes", R"({"text":"a"})").body, "1");
  EXPECT_EQ(client.post("/notes", R"({"text":"a"})").status, 409);
  EXPECT_EQ(client.get("/notes/1").body, "a");
  EXPECT_EQ(client.get("/notes/2").status, 404);
}

TEST(SqliteApp, is_replaced_in_a_test) {
  const base::TestFolder folder;
  const Sqlite real({.path = folder.path / "real.db"});
  now(real.script("create table note (text text); insert into note values ('real')"));
  App app;
  app.state(real);
  app.get("/notes", [](State<Sqlite> db) { return db->query<std::string>("select text from note"); });
  app.post("/notes", [](State<Sqlite> db, Json<NewNote> note) -> Task<> {
    co_await db->execute("insert into note values ($1)", note->text);
  });
  {
    tern::testing::Client client(app);
    const Sqlite memory;
    EXPECT_EQ(client.run(memory.script("create table note (text text)")), 0);
    client.override_state(memory);
    EXPECT_EQ(client.post("/notes", R"({"text":"a"})").status, 204);
    EXPECT_EQ(client.get("/notes").body, R"(["a"])");
    EXPECT_EQ(client.run(memory.scalar<int>("select count(*) from note")), 1);
  }
  tern::testing::Client client(app);
  EXPECT_EQ(client.get("/notes").body, R"(["real"])");
}

}  // namespace
}  // namespace tern::sqlite
