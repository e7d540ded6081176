#include "sqlite/sqlite_testing.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace tern::sqlite {
namespace {

using ::testing::HasSubstr;
using Files = std::vector<sql::Migration>;

const sql::Migration books_migration{"0001_books.sql", "create table book (id integer primary key);\n"};
const sql::Migration years_migration{"0002_years.sql",
                                     "alter table book add column year integer; insert into book values (1, 2);"};

class SqliteMigrations : public ::testing::Test {
protected:
  base::TestFolder folder_;
  Sqlite db_{{.path = folder_.path / "test.db", .sync = SqliteSync::Off}};
};

TEST_F(SqliteMigrations, run_once_in_the_order_of_their_numbers) {
  EXPECT_EQ(now(db_.migrate(Files{years_migration, books_migration})), 2U);
  EXPECT_EQ(now(db_.migrate(Files{years_migration, books_migration})), 0U);
  EXPECT_EQ(
      now(db_.migrate(Files{years_migration, books_migration, {"0010_more.sql", "insert into book values (2, 3)"}})),
      1U);
  EXPECT_EQ(now(db_.scalar<int>("select count(*) from book")), 2);
}

TEST_F(SqliteMigrations, are_read_from_a_folder) {
  std::ofstream(folder_.path / books_migration.name) << books_migration.text;
  std::ofstream(folder_.path / years_migration.name) << years_migration.text;
  std::ofstream(folder_.path / "README.md") << "no migration";
  EXPECT_EQ(now(db_.migrate(folder_.path)), 2U);
  EXPECT_EQ(error_of(db_.migrate(folder_.path / "none")).kind(), SqlErrorKind::Migration);
}

TEST_F(SqliteMigrations, that_changed_or_are_missing_are_named) {
  now(db_.migrate(Files{books_migration, years_migration}));
  EXPECT_THAT(error_of(db_.migrate(Files{books_migration, {years_migration.name, "select 1"}})).what(),
              HasSubstr("0002_years.sql has changed since it was run"));
  EXPECT_THAT(error_of(db_.migrate(Files{books_migration})).what(),
              HasSubstr("0002_years.sql was run in this database, and is missing"));
  EXPECT_EQ(error_of(db_.migrate(Files{})).kind(), SqlErrorKind::Migration);
}

TEST_F(SqliteMigrations, that_come_too_late_or_have_no_number_are_named) {
  now(db_.migrate(Files{{"2_a.sql", "create table a (x)"}}));
  EXPECT_THAT(error_of(db_.migrate(Files{{"1_b.sql", "select 1"}, {"2_a.sql", "create table a (x)"}})).what(),
              HasSubstr("1_b.sql precedes one that was run: 2_a.sql"));
  EXPECT_THAT(error_of(db_.migrate(Files{{"books.sql", "select 1"}})).what(), HasSubstr("books.sql has no number"));
  EXPECT_THAT(error_of(db_.migrate(Files{{"1_a.sql", ""}, {"01_b.sql", ""}})).what(), HasSubstr("has the number of"));
}

TEST_F(SqliteMigrations, are_run_up_to_a_number_and_not_back) {
  const Files files{books_migration, years_migration};
  EXPECT_EQ(now(db_.migrate(files, 1)), 1U);
  EXPECT_EQ(now(db_.migrate(files, 1)), 0U);
  EXPECT_EQ(now(db_.migrate(files)), 1U);
  EXPECT_THAT(error_of(db_.migrate(files, 1)).what(),
              HasSubstr("0002_years.sql was run, and its number is above 1: there are no migrations back"));
}

TEST_F(SqliteMigrations, have_states) {
  using sql::MigrationStatus;
  const auto statuses = [this](Files files) {
    std::vector<MigrationStatus> found;
    for (const sql::MigrationState& state : now(db_.migration_states(std::move(files)))) {
      found.push_back(state.status);
      const bool was_run = state.status == MigrationStatus::Done || state.status == MigrationStatus::Changed ||
                           state.status == MigrationStatus::Missing;
      EXPECT_EQ(!state.run_at.empty(), was_run) << state.name;
    }
    return found;
  };
  using enum MigrationStatus;
  EXPECT_EQ(statuses({years_migration, books_migration}), (std::vector{Pending, Pending}));
  EXPECT_EQ(now(db_.scalar<int>("select count(*) from sqlite_schema")), 0);  // nothing was changed
  now(db_.migrate(Files{books_migration, years_migration}, 1));
  EXPECT_EQ(statuses({books_migration, years_migration}), (std::vector{Done, Pending}));
  now(db_.migrate(Files{books_migration, {"0004_c.sql", "select 1"}}));
  EXPECT_EQ(statuses({{books_migration.name, "select 2"}, years_migration}), (std::vector{Changed, Preceded, Missing}));
  EXPECT_EQ(error_of(db_.migration_states({{"a.sql", ""}})).kind(), SqlErrorKind::Migration);
}

TEST_F(SqliteMigrations, that_fail_leave_nothing) {
  const sql::Migration broken{"0002_broken.sql", "create table a (x); insert into absent values (1);"};
  EXPECT_THAT(error_of(db_.migrate(Files{books_migration, broken})).what(),
              HasSubstr("0002_broken.sql fails: no such table"));
  EXPECT_EQ(now(db_.scalar<int>("select count(*) from sqlite_schema where name = 'a'")), 0);
  EXPECT_EQ(now(db_.migrate(Files{books_migration, {broken.name, "create table a (x)"}})), 1U);
}

TEST_F(SqliteMigrations, cannot_end_their_transaction) {
  EXPECT_THAT(error_of(db_.migrate(Files{{"1_a.sql", "create table a (x); commit;"}})).what(),
              HasSubstr("1_a.sql fails"));
}

TEST_F(SqliteMigrations, of_several_servers_run_once) {
  Files files;
  for (int i = 10; i < 30; ++i) {
    files.push_back({std::to_string(i) + "_t.sql", "create table t" + std::to_string(i) + " (x integer)"});
  }
  std::vector<std::size_t> counts(3);
  {
    std::vector<std::jthread> servers;
    for (std::size_t& count : counts) {
      servers.emplace_back([&] {
        const Sqlite server({.path = folder_.path / "test.db", .busy_timeout = Seconds(60), .sync = SqliteSync::Off});
        count = now(server.migrate(files));
      });
    }
  }
  EXPECT_EQ(counts[0] + counts[1] + counts[2], 20U);
  EXPECT_EQ(now(db_.scalar<int>("select count(*) from tern_migration")), 20);
}

}  // namespace
}  // namespace tern::sqlite
