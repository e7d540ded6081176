// insert() and update() on SQLite.
#include "sql/table_contract.hpp"
#include "sqlite/file_backend.hpp"

namespace tern::sql {
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, SqlTableContract, sqlite::FileBackend);
}

namespace tern::sqlite {
namespace {

struct Tagged {
  std::string title;
  std::vector<std::string> tags;
};

TEST(SqliteTable, arrays_are_refused_by_the_name_of_their_column) {
  const Sqlite db;
  now(db.script("create table tagged (title text, tags text)"));
  const Tagged tagged{"Emma", {"novel"}};
  const SqlError error = error_of(db.insert("tagged", tagged));
  EXPECT_EQ(error.kind(), SqlErrorKind::Parameter);
  EXPECT_EQ(error.column(), "tags");
  EXPECT_THAT(error.what(), ::testing::HasSubstr("SQLite does not have"));
}

TEST(SqliteTable, a_name_may_have_a_schema) {
  const Sqlite db;
  now(db.script("create table tagged (title text)"));
  struct Title {
    std::string title;
  };
  const Title emma{"Emma"};
  EXPECT_EQ(now(db.insert("main.tagged", emma)), 1);
}

}  // namespace
}  // namespace tern::sqlite
