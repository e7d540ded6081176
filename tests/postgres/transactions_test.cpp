// Transactions against a real PostgreSQL.
#include "postgres/postgres_testing.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tern::postgres {
namespace {

using ::testing::HasSubstr;

class PostgresTransactions : public PostgresTest {
protected:
  PostgresTransactions() {
    begin();
    run([&] { return db.script("create table account (id int primary key, balance bigint not null)"); });
    run([&] { return db.execute("insert into account values (1, 100), (2, 100)"); });
  }
  std::int64_t balance(int id) {
    return run([&] { return db.scalar<std::int64_t>("select balance from account where id = $1", id); });
  }
  // Sessions that are in a transaction and do nothing.
  static bool any_idle_in_transaction() {
    return shared_server().run("select count(*) from pg_stat_activity where state like 'idle in transaction%'") != "0";
  }
  static void await_none_in_transaction() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (any_idle_in_transaction() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_FALSE(any_idle_in_transaction());
  }
};

TEST_F(PostgresTransactions, commit_at_the_end) {
  const int result = run([&]() -> Task<int> {
    const auto work = [](sql::Transaction& tx) -> Task<int> {
      co_await tx.execute("update account set balance = balance - 10 where id = 1");
      co_await tx.execute("update account set balance = balance + 10 where id = 2");
      co_return 7;
    };
    co_return co_await db.transaction(work);
  });
  EXPECT_EQ(result, 7);
  EXPECT_EQ(balance(1), 90);
  EXPECT_EQ(balance(2), 110);
}

TEST_F(PostgresTransactions, are_rolled_back_by_an_exception) {
  const bool thrown = throws<std::runtime_error>(app, [&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("update account set balance = 0");
      throw std::runtime_error("no");
    };
    co_await db.transaction(work);
  });
  EXPECT_TRUE(thrown);
  EXPECT_EQ(balance(1), 100);
  await_none_in_transaction();
}

TEST_F(PostgresTransactions, are_rolled_back_when_they_are_stopped) {
  const bool timed_out = throws<TimedOut>(app, [&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("update account set balance = 0");
      co_await tx.execute("select pg_sleep(60)");
    };
    co_await with_timeout(Milliseconds(50), db.transaction(work));
  });
  EXPECT_TRUE(timed_out);
  EXPECT_EQ(balance(1), 100);
  // The row is not locked any longer.
  EXPECT_EQ(run([&] { return db.execute("update account set balance = balance + 1 where id = 1"); }), 1);
  await_none_in_transaction();
}

TEST_F(PostgresTransactions, are_rolled_back_when_their_frame_is_destroyed) {
  run([&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("update account set balance = 0");
      co_await sleep_for(Seconds(60));
    };
    Task<> task = db.transaction(work);
    if (task.start([](void*) {}, nullptr)) co_return;
    while (db.statistics().in_use == 0) co_await sleep_for(Milliseconds(1));
    co_await sleep_for(Milliseconds(50));
  });
  EXPECT_EQ(balance(1), 100);
  EXPECT_EQ(run([&] { return db.execute("update account set balance = balance + 1 where id = 1"); }), 1);
  await_none_in_transaction();
  EXPECT_EQ(db.statistics().in_use, 0U);
}

TEST_F(PostgresTransactions, go_on_after_a_savepoint_that_failed) {
  run([&]() -> Task<> {
    const auto inner = [](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("update account set balance = 0");
      co_await tx.execute("insert into account values (1, 1)");
    };
    const auto outer = [&](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("update account set balance = 50 where id = 1");
      try {
        co_await tx.transaction(inner);
      } catch (const SqlError& error) {
        EXPECT_EQ(error.kind(), SqlErrorKind::UniqueViolation);
      }
      co_await tx.execute("update account set balance = 60 where id = 2");
    };
    co_await db.transaction(outer);
  });
  EXPECT_EQ(balance(1), 50);
  EXPECT_EQ(balance(2), 60);
}

TEST_F(PostgresTransactions, that_have_failed_cannot_be_committed) {
  const Failure failure = error_of([&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("update account set balance = 0");
      try {
        co_await tx.execute("selec");
      } catch (const SqlError&) {
      }
    };
    co_await db.transaction(work);
  });
  EXPECT_EQ(failure.kind, SqlErrorKind::TransactionEnded);
  EXPECT_EQ(balance(1), 100);
}

TEST_F(PostgresTransactions, have_the_isolation_that_is_asked_for) {
  const auto level = [&](TransactionOptions options) {
    return run([&]() -> Task<std::string> {
      const auto work = [](sql::Transaction& tx) -> Task<std::string> {
        co_return co_await tx.scalar<std::string>(
            "select current_setting('transaction_isolation') || ' ' || current_setting('transaction_read_only')");
      };
      co_return co_await db.transaction(options, work);
    });
  };
  EXPECT_EQ(level({}), "read committed off");
  EXPECT_EQ(level({.read_only = true, .isolation = Isolation::Serializable}), "serializable on");
  EXPECT_EQ(level({.isolation = Isolation::RepeatableRead}), "repeatable read off");
  const Failure failure = error_of([&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> { co_await tx.execute("delete from account"); };
    co_await db.transaction({.read_only = true}, work);
  });
  EXPECT_EQ(failure.kind, SqlErrorKind::ReadOnly);
}

// Two read the same row and write it: one of them is ended with 40001.
TEST_F(PostgresTransactions, are_repeated_when_they_cannot_be_serialized) {
  int calls = 0;
  const auto meet = [&](unsigned retries) -> Task<> {
    calls = 0;
    Event both;
    int arrived = 0;
    const auto add = [&](sql::Transaction& tx) -> Task<> {
      ++calls;
      const auto before = co_await tx.scalar<std::int64_t>("select balance from account where id = 1");
      if (++arrived == 2) both.set();
      co_await both;
      co_await tx.execute("update account set balance = $1 where id = 1", before + 1);
    };
    const TransactionOptions options{.isolation = Isolation::RepeatableRead, .retries = retries};
    co_await when_all(db.transaction(options, add), db.transaction(options, add));
  };
  run([&] { return meet(3); });
  EXPECT_EQ(balance(1), 102);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(error_of([&] { return meet(0); }).state, "40001");
}

TEST_F(PostgresTransactions, run_one_statement_at_a_time) {
  const bool refused = throws<std::logic_error>(app, [&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> {
      co_await when_all(tx.execute("select pg_sleep(0.05)"), tx.execute("select 1"));
    };
    co_await db.transaction(work);
  });
  EXPECT_TRUE(refused);
  await_none_in_transaction();
}

TEST_F(PostgresTransactions, cannot_be_ended_by_a_statement) {
  const Failure failure = error_of([&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> {
      co_await tx.script("commit");
      co_await tx.execute("update account set balance = 0");
    };
    co_await db.transaction(work);
  });
  EXPECT_EQ(failure.kind, SqlErrorKind::TransactionEnded);
  EXPECT_EQ(balance(1), 100);
}

}  // namespace
}  // namespace tern::postgres
