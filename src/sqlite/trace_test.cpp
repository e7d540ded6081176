// Statements as steps of a request that has a trace.
#include "sqlite/sqlite_testing.hpp"

#include <tern/coro/context.hpp>
#include <tern/sql/batch.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tern::sqlite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "name key=value …", and "!" with what has failed.
class StepLines final : public coro::Context {
public:
  void record(const coro::Step& step) noexcept override {
    std::string line(step.name);
    for (const coro::StepValue& value : step.values) {
      line.append(" ").append(value.name).append("=");
      line += value.is_text ? std::string(value.text) : std::to_string(value.number);
    }
    if (!step.fault.empty()) line.append(" !").append(step.fault);
    EXPECT_GT(step.nanoseconds, 0U);
    lines.push_back(line);
  }
  base::Box<coro::Context> fork() override { return {}; }

  std::vector<std::string> lines;
};

class SqliteTrace : public ::testing::Test {
protected:
  SqliteTrace() { now(db_.script("create table note (id integer primary key, text text unique)")); }
  // What `work()` has recorded.
  template <class F>
  std::vector<std::string> steps(F work) {
    StepLines context;
    const coro::ContextScope scope(&context);
    work();
    return context.lines;
  }
  const Sqlite db_;
};

TEST_F(SqliteTrace, statements_are_steps_without_their_parameters) {
  EXPECT_THAT(steps([&] {
                now(db_.execute("insert into note (text) values ($1)", "secret"));
                now(db_.query<std::string>("select text from note where id = $1", 1));
              }),
              ElementsAre("insert db.system.name=sqlite db.operation.name=insert db.query.text=insert into note (text) "
                          "values ($1)",
                          "select db.system.name=sqlite db.operation.name=select db.query.text=select text from note "
                          "where id = $1"));
}

TEST_F(SqliteTrace, errors_have_their_state) {
  now(db_.execute("insert into note (text) values ('a')"));
  const auto lines = steps([&] { error_of(db_.execute("insert into note (text) values ('a')")); });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr(" db.response.status_code=23505 !"));
  EXPECT_THAT(lines[0], HasSubstr("UNIQUE constraint failed"));
}

// It may have values in it.
TEST_F(SqliteTrace, a_text_that_is_made_by_the_program_is_not_shown) {
  EXPECT_THAT(steps([&] { now(db_.scalar<int>(runtime("select 7 -- secret"))); }),
              ElementsAre("select db.system.name=sqlite db.operation.name=select db.query.text=?"));
}

TEST_F(SqliteTrace, batches_transactions_and_scripts_are_steps) {
  EXPECT_THAT(steps([&] {
                SqlBatch batch;
                auto one = batch.execute("insert into note (text) values ('x')");
                auto other = batch.scalar<int>("select count(*) from note");
                now(db_.run(batch));
                EXPECT_EQ(one.take() + other.take(), 2);
                now(db_.transaction([](auto& tx) -> Task<> { co_await tx.execute("delete from note"); }));
                now(db_.script("delete from note; delete from note"));
              }),
              ElementsAre("batch db.system.name=sqlite db.operation.name=batch db.operation.batch.size=2",
                          "begin db.system.name=sqlite db.operation.name=begin db.query.text=begin",
                          "delete db.system.name=sqlite db.operation.name=delete db.query.text=delete from note",
                          "commit db.system.name=sqlite db.operation.name=commit db.query.text=commit",
                          "script db.system.name=sqlite db.operation.name=script db.query.text=delete from note; "
                          "delete from note"));
}

TEST_F(SqliteTrace, a_transaction_that_fails_has_its_rollback) {
  const auto lines = steps([&] {
    error_of(db_.transaction([](auto& tx) -> Task<> { co_await tx.execute("insert into missing values (1)"); }));
  });
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[1], HasSubstr("insert into missing values (1)"));
  EXPECT_THAT(lines[1], HasSubstr("!"));
  EXPECT_EQ(lines[2], "rollback db.system.name=sqlite db.operation.name=rollback db.query.text=rollback");
}

TEST_F(SqliteTrace, rows_of_each_are_one_step) {
  now(db_.execute("insert into note (text) values ('a'), ('b'), ('c')"));
  const auto read = [](const Sqlite& db, std::size_t most) -> Task<std::size_t> {
    auto rows = db.each<std::string>("select text from note");
    std::size_t count = 0;
    for (; count < most; ++count) {
      const auto row = co_await rows.next();
      if (!row) break;
    }
    co_return count;
  };
  const std::string step = "select db.system.name=sqlite db.operation.name=select db.query.text=select text from note ";
  EXPECT_THAT(steps([&] { EXPECT_EQ(now(read(db_, 10)), 3U); }), ElementsAre(step + "db.response.returned_rows=3"));
  EXPECT_THAT(steps([&] { EXPECT_EQ(now(read(db_, 1)), 1U); }), ElementsAre(step + "db.response.returned_rows=3"));
  EXPECT_THAT(steps([&] { EXPECT_EQ(now(read(db_, 0)), 0U); }), IsEmpty());  // it has not begun
}

TEST_F(SqliteTrace, rows_that_fail_are_a_step_with_its_fault) {
  const auto read = [](const Sqlite& db) -> Task<> {
    auto rows = db.each<int>("select 'text'");
    co_await rows.next();
  };
  const auto lines = steps([&] { error_of(read(db_)); });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("!"));
}

TEST_F(SqliteTrace, without_a_context_there_is_nothing) {
  StepLines context;
  now(db_.execute("insert into note (text) values ('a')"));
  EXPECT_THAT(context.lines, IsEmpty());
}

}  // namespace
}  // namespace tern::sqlite
