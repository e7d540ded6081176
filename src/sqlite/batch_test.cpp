#include "sqlite/sqlite_testing.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern::sqlite {
namespace {

struct Note {
  std::int64_t id = 0;
  std::string text;
};

class SqliteBatch : public ::testing::Test {
protected:
  SqliteBatch() { now(db_.script("create table note (id integer primary key, text text unique)")); }
  int count() { return now(db_.scalar<int>("select count(*) from note")); }

  base::TestFolder folder_;
  Sqlite db_{{.path = folder_.path / "notes.db", .sync = SqliteSync::Off}};
};

TEST_F(SqliteBatch, has_the_typed_result_of_each_statement) {
  SqlBatch batch;
  auto inserted = batch.execute("insert into note (text) values ($1), ($2)", "a", std::string("b"));
  auto all = batch.query<Note>("select id, text from note order by id");
  auto one = batch.one<Note>("select id, text from note where text = $1", "b");
  auto some = batch.optional<std::string>("select text from note where id = $1", 1);
  auto none = batch.optional<std::string>("select text from note where id = $1", 9);
  auto number = batch.scalar<int>("select count(*) from note");
  EXPECT_EQ(batch.size(), 6U);
  now(db_.run(batch));
  EXPECT_EQ(inserted.take(), 2);
  const std::vector<Note> notes = all.take();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[1].text, "b");
  EXPECT_EQ(one.take().id, 2);
  EXPECT_EQ(some.take(), "a");
  EXPECT_EQ(none.take(), std::nullopt);
  EXPECT_EQ(number.take(), 2);
  EXPECT_EQ(db_.statistics().errors, 0U);
}

TEST_F(SqliteBatch, has_no_effect_if_one_fails) {
  SqlBatch batch;
  auto first = batch.execute("insert into note (text) values ('a')");
  batch.execute("insert into note (text) values ('a')");
  batch.execute("insert into note (text) values ('c')");
  EXPECT_EQ(error_of(db_.run(batch)).kind(), SqlErrorKind::UniqueViolation);
  EXPECT_THROW(first.take(), std::logic_error);
  EXPECT_EQ(count(), 0);
}

TEST_F(SqliteBatch, has_no_effect_if_a_row_does_not_fit) {
  SqlBatch batch;
  batch.execute("insert into note (text) values ('a')");
  batch.scalar<int>("select text from note");
  EXPECT_EQ(error_of(db_.run(batch)).kind(), SqlErrorKind::Column);
  EXPECT_EQ(count(), 0);
}

TEST_F(SqliteBatch, runs_once_and_each_result_is_taken_once) {
  SqlBatch batch;
  auto number = batch.scalar<int>("select 7");
  EXPECT_THROW(number.take(), std::logic_error);
  now(db_.run(batch));
  EXPECT_EQ(number.take(), 7);
  EXPECT_THROW(number.take(), std::logic_error);
  EXPECT_THROW(now(db_.run(batch)), std::logic_error);
  SqlBatch empty;
  now(db_.run(empty));
}

TEST_F(SqliteBatch, tells_of_no_row_when_its_result_is_taken) {
  SqlBatch batch;
  auto none = batch.one<Note>("select id, text from note");
  auto count = batch.scalar<int>("select count(*) from note");
  now(db_.run(batch));
  EXPECT_EQ(count.take(), 0);
  try {
    none.take();
    ADD_FAILURE() << "no error";
  } catch (const SqlError& error) {
    EXPECT_EQ(error.kind(), SqlErrorKind::NoRow);
  }
}

TEST_F(SqliteBatch, that_fails_leaves_a_transaction_as_it_was) {
  now(db_.transaction([&](auto& tx) -> Task<> {
    co_await tx.execute("insert into note (text) values ('a')");
    SqlBatch batch;
    batch.execute("insert into note (text) values ('b')");
    batch.execute("insert into note (text) values ('a')");
    EXPECT_EQ(error_of(tx.run(batch)).kind(), SqlErrorKind::UniqueViolation);
    SqlBatch second;
    second.execute("insert into note (text) values ('c')");
    co_await tx.run(second);
  }));
  EXPECT_EQ(now(db_.query<std::string>("select text from note order by id")), (std::vector<std::string>{"a", "c"}));
}

TEST_F(SqliteBatch, cannot_commit_by_a_statement) {
  SqlBatch batch;
  batch.execute("insert into note (text) values ('a')");
  batch.execute("rollback");
  batch.execute("insert into note (text) values ('b')");
  EXPECT_EQ(error_of(db_.run(batch)).kind(), SqlErrorKind::TransactionEnded);
  EXPECT_EQ(count(), 0);
}

TEST_F(SqliteBatch, works_in_memory) {
  const Sqlite memory;
  SqlBatch batch;
  batch.execute("create table t (x integer)");
  batch.execute("insert into t values (3)");
  auto x = batch.scalar<int>("select x from t");
  now(memory.run(batch));
  EXPECT_EQ(x.take(), 3);
}

}  // namespace
}  // namespace tern::sqlite
