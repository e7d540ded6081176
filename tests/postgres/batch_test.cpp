// SqlBatch on PostgreSQL.
#include "postgres/postgres_testing.hpp"
#include "postgres/relay.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern::postgres {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Entry {
  int id = 0;
  std::string text;
};

std::size_t count_syncs(const std::string& bytes) {
  std::size_t syncs = 0;
  for (std::size_t at = 0; (at = bytes.find(std::string("S\0\0\0\4", 5), at)) != std::string::npos; ++at) ++syncs;
  return syncs;
}

class PostgresBatch : public PostgresTest {
protected:
  PostgresBatch() {
    begin();
    run([&] { return db.script("create table entry (id int primary key, text text)"); });
  }
  std::string relayed() const {
    return "host=" + folder.path.string() +
           " port=1 user=postgres dbname=postgres options='-c search_path=" + schema.name() + "'";
  }
  std::string target() const { return shared_server().folder() + "/.s.PGSQL.5432"; }
  std::int64_t count() {
    return run([&] { return db.scalar<std::int64_t>("select count(*) from entry"); });
  }
};

TEST_F(PostgresBatch, has_the_typed_result_of_each_statement) {
  run([&]() -> Task<> {
    SqlBatch batch;
    auto inserted = batch.execute("insert into entry values (1, $1), (2, $2)", "a", "b");
    auto all = batch.query<Entry>("select id, text from entry order by id");
    auto one = batch.one<Entry>("select text, id from entry where id = $1", 2);
    auto some = batch.optional<std::string>("select text from entry where id = $1", 1);
    auto none = batch.optional<std::string>("select text from entry where id = $1", 9);
    auto nothing = batch.execute("");
    auto number = batch.scalar<std::int64_t>("select count(*) from entry");
    co_await db.run(batch);
    EXPECT_EQ(inserted.take(), 2);
    EXPECT_THAT(all.take(), SizeIs(2));
    EXPECT_EQ(one.take().text, "b");
    EXPECT_EQ(some.take(), "a");
    EXPECT_EQ(none.take(), std::nullopt);
    EXPECT_EQ(nothing.take(), 0);
    EXPECT_EQ(number.take(), 2);
  });
  EXPECT_EQ(db.statistics().errors, 0U);
}

TEST_F(PostgresBatch, leaves_in_one_write_with_one_sync) {
  Relay relay(folder.path.string(), target());
  Postgres piped(options(relayed()));
  run([&]() -> Task<> {
    co_await piped.scalar<int>("select $1::int", 0);
    co_await piped.optional<Entry>("select id, text from entry where id = $1", 0);
    relay.forget();
    SqlBatch batch;
    std::vector<BatchResult<int>> numbers;
    for (int i = 0; i < 20; ++i) {
      numbers.push_back(batch.scalar<int>("select $1::int", i));
      batch.optional<Entry>("select id, text from entry where id = $1", i);
    }
    co_await piped.run(batch);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)].take(), i);
  });
  const std::vector<std::string> writes = relay.writes();
  ASSERT_THAT(writes, SizeIs(1));
  EXPECT_EQ(count_syncs(writes[0]), 1U);
}

TEST_F(PostgresBatch, prepares_its_statements_in_one_round_trip) {
  Relay relay(folder.path.string(), target());
  Postgres piped(options(relayed()));
  run([&]() -> Task<> {
    co_await piped.scalar<int>("select $1::int", 0);  // its answer comes behind those of the settings
    relay.forget();
    SqlBatch batch;
    auto first = batch.scalar<int>("select 1");
    batch.execute("select 2");
    auto third = batch.scalar<int>("select 3");
    co_await piped.run(batch);
    EXPECT_EQ(first.take() + third.take(), 4);
  });
  const std::vector<std::string> writes = relay.writes();
  ASSERT_THAT(writes, SizeIs(2));
  EXPECT_EQ(count_syncs(writes[0]), 3U);
  EXPECT_EQ(count_syncs(writes[1]), 1U);
}

TEST_F(PostgresBatch, has_no_effect_if_one_fails_and_others_are_not_affected) {
  const auto outcome = run([&]() -> Task<std::string> {
    SqlBatch batch;
    auto first = batch.execute("insert into entry values (1, 'a')");
    batch.execute("insert into entry values (1, 'b')");
    batch.execute("insert into entry values (3, 'c')");
    std::vector<Task<std::int64_t>> others;
    others.push_back(db.execute("insert into entry values (4, 'before')"));
    const auto failing = [&]() -> Task<std::int64_t> {
      try {
        co_await db.run(batch);
      } catch (const SqlError& error) {
        EXPECT_EQ(error.constraint(), "entry_pkey");
        co_return -1;
      }
      co_return 0;
    };
    others.push_back(failing());
    others.push_back(db.execute("insert into entry values (5, 'after')"));
    const std::vector<std::int64_t> results = co_await when_all(std::move(others));
    EXPECT_THAT(results, ElementsAre(1, -1, 1));
    EXPECT_THROW(first.take(), std::logic_error);
    co_return co_await db.scalar<std::string>("select string_agg(text, ' ' order by id) from entry");
  });
  EXPECT_EQ(outcome, "before after");
  EXPECT_EQ(db.statistics().errors, 1U);
}

TEST_F(PostgresBatch, fails_if_one_cannot_be_prepared) {
  const Failure failure = error_of([&]() -> Task<> {
    SqlBatch batch;
    batch.execute("insert into entry values (1, 'a')");
    batch.execute("insert into missing values (1)");
    batch.execute("insert into entry values (2, 'a')");
    co_await db.run(batch);
  });
  EXPECT_EQ(failure.state, "42P01");
  const Failure wrong_count = error_of([&]() -> Task<> {
    SqlBatch batch;
    batch.execute("insert into entry values (1, 'a')");
    batch.execute(runtime("select $1::int"), 1, 2);
    co_await db.run(batch);
  });
  EXPECT_EQ(wrong_count.kind, SqlErrorKind::Parameter);
  const Failure refused = error_of([&]() -> Task<> {
    SqlBatch batch;
    batch.execute("insert into entry values (1, 'a')");
    batch.execute("commit");
    co_await db.run(batch);
  });
  EXPECT_EQ(refused.kind, SqlErrorKind::Statement);
  EXPECT_EQ(count(), 0);
}

TEST_F(PostgresBatch, may_have_more_texts_than_the_cache) {
  PostgresOptions few = options();
  few.statement_cache = 3;
  Postgres small(few);
  run([&]() -> Task<> {
    for (int round = 0; round < 3; ++round) {
      SqlBatch batch;
      std::vector<BatchResult<int>> numbers;
      for (int i = 0; i < 10; ++i) numbers.push_back(batch.scalar<int>(runtime("select " + std::to_string(i))));
      co_await small.run(batch);
      for (int i = 0; i < 10; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)].take(), i);
    }
  });
}

TEST_F(PostgresBatch, is_repeated_as_a_whole_when_a_prepared_statement_is_stale) {
  run([&]() -> Task<> {
    co_await db.execute("insert into entry values (1, '7')");
    const auto read = [&]() -> Task<std::string> {
      SqlBatch batch;
      auto numbers = batch.query<int>("select generate_series(1, 3)");
      auto text = batch.scalar<std::string>("select text from entry");
      co_await db.run(batch);
      EXPECT_EQ(numbers.take(), (std::vector<int>{1, 2, 3}));  // once, not twice
      co_return text.take();
    };
    EXPECT_EQ(co_await read(), "7");
    co_await db.execute("alter table entry alter column text type numeric using text::numeric");
    EXPECT_EQ(co_await read(), "7");
  });
}

TEST_F(PostgresBatch, in_a_transaction_is_a_part_of_it) {
  run([&]() -> Task<> {
    const auto work = [&](sql::Transaction& tx) -> Task<> {
      SqlBatch batch;
      batch.execute("insert into entry values (1, 'a')");
      batch.execute("insert into entry values (2, 'b')");
      co_await tx.run(batch);
      EXPECT_EQ(co_await db.scalar<std::int64_t>("select count(*) from entry"), 0);
      const auto fails = [](sql::Transaction& inner) -> Task<> {
        SqlBatch again;
        again.execute("insert into entry values (3, 'c')");
        again.execute("insert into entry values (1, 'a')");
        co_await inner.run(again);
      };
      try {
        co_await tx.transaction(fails);
        ADD_FAILURE() << "no error";
      } catch (const SqlError& error) {
        EXPECT_EQ(error.kind(), SqlErrorKind::UniqueViolation);
      }
    };
    co_await db.transaction(work);
  });
  EXPECT_EQ(count(), 2);
}

TEST_F(PostgresBatch, works_without_prepared_statements) {
  PostgresOptions pooled = options();
  pooled.transaction_pooling = true;
  Postgres unnamed(pooled);
  run([&]() -> Task<> {
    for (int round = 0; round < 2; ++round) {
      SqlBatch batch;
      auto number = batch.scalar<int>("select $1::int", 5);
      auto text = batch.one<Entry>("select 1 as id, $1::text as text", "x");
      auto none = batch.query<Entry>("select id, text from entry");
      co_await unnamed.run(batch);
      EXPECT_EQ(number.take(), 5);
      EXPECT_EQ(text.take().text, "x");
      EXPECT_THAT(none.take(), SizeIs(0));
    }
  });
}

TEST_F(PostgresBatch, that_is_stopped_leaves_a_connection_that_works) {
  run([&]() -> Task<> {
    co_await db.execute("insert into entry values (1, 'a')");
    Scope scope;
    const auto slow = [](const Postgres& database) -> Task<> {
      SqlBatch batch;
      batch.execute("insert into entry values (2, 'b')");
      batch.execute("select pg_sleep(60)");
      batch.query<Entry>("select id, text from entry");
      co_await database.run(batch);
    };
    scope.spawn(slow(db));
    co_await sleep_for(Milliseconds(50));
    scope.stop();
    co_await scope.join();
  });
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(db.statistics().cancelled, 1U);
}

TEST_F(PostgresBatch, that_waits_for_its_preparation_ends_with_its_coroutine) {
  run([&]() -> Task<> {
    co_await db.connect();
    for (int i = 0; i < 5; ++i) {
      Scope scope;
      const auto first = [](const Postgres& database, int number) -> Task<> {
        SqlBatch batch;
        batch.scalar<int>(runtime("select 1 + " + std::to_string(number)));
        batch.scalar<int>(runtime("select 2 + " + std::to_string(number)));
        co_await database.run(batch);
      };
      scope.spawn(first(db, i));
      scope.stop();
      co_await scope.join();
    }
    EXPECT_EQ(co_await db.scalar<int>("select 4"), 4);
  });
}

TEST_F(PostgresBatch, that_loses_its_connection_fails) {
  Relay relay(folder.path.string(), target());
  Postgres piped(options(relayed()));
  const Failure failure = error_of([&]() -> Task<> {
    SqlBatch batch;
    batch.execute("select 1");
    batch.execute("select pg_terminate_backend(pg_backend_pid())");
    batch.execute("select 2");
    co_await piped.run(batch);
  });
  EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
  EXPECT_EQ(run([&] { return piped.scalar<int>("select 3"); }), 3);
}

}  // namespace
}  // namespace tern::postgres
