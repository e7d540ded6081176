// Statements and rows, on a database in memory.
#include "sqlite/sqlite_testing.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tern::sqlite {
namespace {

using ::testing::HasSubstr;

struct Book {
  std::int64_t id = 0;
  std::string title;
  std::optional<int> year;
};

class SqliteQueries : public ::testing::Test {
protected:
  SqliteQueries() {
    now(
        db_.script("create table book (id integer primary key, title text not null unique, year integer);"
                   "insert into book (title, year) values ('Emma', 1815), ('Ulysses', 1922), ('Beowulf', null);"));
  }
  Sqlite db_;
};

TEST_F(SqliteQueries, rows_are_structs_by_name) {
  const auto books = now(db_.query<Book>("select year, title, id from book where year > $1", 1900));
  ASSERT_EQ(books.size(), 1U);
  EXPECT_EQ(books[0].id, 2);
  EXPECT_EQ(books[0].title, "Ulysses");
  EXPECT_EQ(books[0].year, 1922);
  EXPECT_EQ(now(db_.query<Book>("select * from book where id = 3"))[0].year, std::nullopt);
}

TEST_F(SqliteQueries, execute_counts_the_changed_rows) {
  EXPECT_EQ(now(db_.execute("update book set year = year + 1 where year is not null")), 2);
  EXPECT_EQ(now(db_.execute("create table other (id integer)")), 0);
  EXPECT_EQ(now(db_.execute("delete from book where title = $1", "nothing")), 0);
}

}  // namespace
}  // namespace tern::sqlite
