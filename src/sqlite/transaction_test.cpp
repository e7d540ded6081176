#include "sqlite/sqlite_testing.hpp"

#include "coro/manual_executor.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern::sqlite {
namespace {

using ::testing::HasSubstr;

class SqliteTransactions : public ::testing::Test {
protected:
  SqliteTransactions() { now(db_.script("create table note (id integer primary key, text text unique)")); }
  int count() { return now(db_.scalar<int>("select count(*) from note")); }
  static Task<std::int64_t> add(const sql::Queries& to, std::string text) {
    return to.execute("insert into note (text) values ($1)", text);
  }
  base::TestFolder folder_;
  Sqlite db_{{.path = folder_.path / "notes.db", .sync = SqliteSync::Off}};
};

TEST_F(SqliteTransactions, commit_at_the_end) {
  const std::int64_t changed = now(db_.transaction([&](auto& tx) -> Task<std::int64_t> {
    co_await add(tx, "a");
    co_return co_await add(tx, "b");
  }));
  EXPECT_EQ(changed, 1);
  EXPECT_EQ(count(), 2);
}

TEST_F(SqliteTransactions, are_seen_by_others_when_they_are_committed) {
  now(db_.transaction([&](auto& tx) -> Task<> {
    co_await add(tx, "a");
    EXPECT_EQ(co_await db_.template scalar<int>("select count(*) from note"), 0);
    EXPECT_EQ(co_await tx.template scalar<int>("select count(*) from note"), 1);
  }));
  EXPECT_EQ(count(), 1);
}

TEST_F(SqliteTransactions, roll_back_if_the_function_throws) {
  const auto fail = [&](sql::Transaction& tx) -> Task<> {
    co_await add(tx, "a");
    throw std::runtime_error("no");
  };
  EXPECT_THROW(now(db_.transaction(fail)), std::runtime_error);
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(now(add(db_, "b")), 1);
}

TEST_F(SqliteTransactions, go_on_after_a_statement_that_failed) {
  now(db_.transaction([&](auto& tx) -> Task<> {
    co_await add(tx, "a");
    try {
      co_await add(tx, "a");
      ADD_FAILURE();
    } catch (const SqlError& error) {
      EXPECT_EQ(error.kind(), SqlErrorKind::UniqueViolation);
    }
    co_await add(tx, "b");
  }));
  EXPECT_EQ(count(), 2);
}

TEST_F(SqliteTransactions, nest_as_savepoints) {
  now(db_.transaction([&](auto& tx) -> Task<> {
    co_await add(tx, "a");
    const auto inner = [&](sql::Transaction& nested) -> Task<> {
      co_await add(nested, "b");
      co_await nested.transaction([&](sql::Transaction& deeper) -> Task<> { co_await add(deeper, "c"); });
      throw std::runtime_error("undo b and c");
    };
    try {
      co_await tx.transaction(inner);
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "undo b and c");
    }
    EXPECT_EQ(co_await tx.template scalar<int>("select count(*) from note"), 1);
    EXPECT_EQ(co_await tx.transaction([&](auto& nested) -> Task<int> {
      co_await add(nested, "d");
      co_return 7;
    }),
              7);
  }));
  EXPECT_EQ(now(db_.query<std::string>("select text from note order by id")), (std::vector<std::string>{"a", "d"}));
}

TEST_F(SqliteTransactions, that_are_read_only_cannot_write) {
  for (const Sqlite& db : {db_, Sqlite()}) {
    now(db.script("create table if not exists note (id integer primary key, text text unique)"));
    const auto write = [&](sql::Transaction& tx) -> Task<> { co_await add(tx, "a"); };
    EXPECT_EQ(error_of(db.transaction({.read_only = true}, write)).kind(), SqlErrorKind::ReadOnly);
    const auto script = [&](sql::Transaction& tx) -> Task<> { co_await tx.script("delete from note"); };
    EXPECT_EQ(error_of(db.transaction({.read_only = true}, script)).kind(), SqlErrorKind::ReadOnly);
    EXPECT_EQ(now(db.scalar<int>("select count(*) from note")), 0);
  }
}

TEST_F(SqliteTransactions, that_are_read_only_see_one_state) {
  now(db_.transaction({.read_only = true}, [&](auto& tx) -> Task<> {
    EXPECT_EQ(co_await tx.template scalar<int>("select count(*) from note"), 0);
    co_await add(db_, "a");
    EXPECT_EQ(co_await tx.template scalar<int>("select count(*) from note"), 0);
  }));
  EXPECT_EQ(count(), 1);
}

TEST_F(SqliteTransactions, that_end_by_a_statement_of_their_own_fail) {
  const auto end_early = [&](sql::Transaction& tx) -> Task<> {
    co_await add(tx, "a");
    try {
      co_await tx.execute("rollback");
    } catch (const SqlError&) {
    }
    co_await add(tx, "b");
  };
  EXPECT_EQ(error_of(db_.transaction(end_early)).kind(), SqlErrorKind::TransactionEnded);
  EXPECT_EQ(count(), 0);
}

TEST_F(SqliteTransactions, that_a_full_disk_has_ended_do_not_write_the_rest) {
  const Sqlite small({.path = folder_.path / "small.db", .max_pages = 8, .sync = SqliteSync::Off});
  now(small.script("create table note (id integer primary key, text text)"));
  const auto fill = [&](sql::Transaction& tx) -> Task<> {
    try {
      for (int i = 0; i < 100; ++i) co_await add(tx, std::string(4000, 'x'));
      ADD_FAILURE();
    } catch (const SqlError& error) {
      EXPECT_EQ(error.kind(), SqlErrorKind::Full);
    }
    co_await tx.execute("delete from note");
  };
  const SqlErrorKind kind = error_of(small.transaction(fill)).kind();
  const int left = now(small.scalar<int>("select count(*) from note"));
  EXPECT_TRUE(kind == SqlErrorKind::TransactionEnded || left == 0) << left;
  EXPECT_EQ(left, 0);
  EXPECT_EQ(now(add(small, "room again")), 1);
}

TEST_F(SqliteTransactions, one_statement_at_a_time) {
  coro::ManualExecutor executor;
  coro::ManualPool pool;
  executor.pool = &pool;
  const auto both = [&](sql::Transaction& tx) -> Task<> { co_await when_all(add(tx, "a"), add(tx, "b")); };
  coro::StartedTask<> running(db_.transaction(both));
  while (!running.ended()) {
    if (pool.waiting != 0) pool.run_one();
    executor.run();
  }
  EXPECT_THAT(running.error(), HasSubstr("one statement at a time"));
}

TEST_F(SqliteTransactions, that_are_cancelled_roll_back) {
  coro::ManualExecutor executor;
  coro::ManualPool pool;
  executor.pool = &pool;
  StopState stop;
  Event never;
  const auto wait = [&](sql::Transaction& tx) -> Task<> {
    co_await add(tx, "a");
    co_await never;
  };
  coro::StartedTask<> running(db_.transaction(wait), &stop);
  for (int i = 0; i < 2; ++i) {  // begin, insert
    pool.run_one();
    executor.run();
  }
  stop.stop();
  executor.run();
  EXPECT_FALSE(running.ended());  // it waits for the rollback
  pool.run_one();
  executor.run();
  EXPECT_EQ(running.error(), "cancelled");
  coro::StartedTask<std::int64_t> after(add(db_, "a"));
  pool.run_one();
  executor.run();
  EXPECT_EQ(after.result(), 1);
}

TEST_F(SqliteTransactions, whose_frame_is_destroyed_roll_back) {
  {
    coro::ManualExecutor executor;
    coro::ManualPool pool;
    executor.pool = &pool;
    Event never;
    const auto wait = [&](sql::Transaction& tx) -> Task<> {
      co_await add(tx, "a");
      co_await never;
    };
    const coro::StartedTask<> running(db_.transaction(wait));  // ends with this block, before its executor
    for (int i = 0; i < 2; ++i) {
      pool.run_one();
      executor.run();
    }
  }
  EXPECT_EQ(now(add(db_, "a")), 1);
}

TEST_F(SqliteTransactions, each_ends_with_the_transaction) {
  now(db_.script("insert into note (text) values ('a'), ('b')"));
  const auto read = [](const Sqlite& db) -> Task<> {
    std::optional<sql::RowStream<std::string>> texts;
    co_await db.transaction([&](auto& tx) -> Task<> {
      texts.emplace(tx.template each<std::string>("select text from note"));
      EXPECT_EQ(co_await texts->next(), "a");
      EXPECT_EQ(co_await tx.execute("delete from note where text = 'b'"), 1);
    });
    while (co_await texts->next()) continue;
  };
  const SqlErrorKind kind = error_of(read(db_)).kind();
  EXPECT_TRUE(kind == SqlErrorKind::TransactionEnded || kind == SqlErrorKind::Other);
  EXPECT_EQ(count(), 1);
}

}  // namespace
}  // namespace tern::sqlite
