// tern migrate, against a real PostgreSQL.
#include "postgres/postgres_testing.hpp"

#include "base/test_folder.hpp"
#include "command/migrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tern::command {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(MigrateCommand, runs_files_in_postgresql) {
  const testing::PostgresSchema schema(postgres::shared_server());
  base::TestFolder folder;
  std::ofstream(folder.path / "0001_books.sql") << "create table book (id bigint primary key);";
  std::ofstream(folder.path / "0002_broken.sql") << "create tabel loan (id bigint);";
  const std::string url = "postgresql://postgres@/postgres?host=" + postgres::shared_server().folder() +
                          "&options=-csearch_path%3D" + schema.name();
  MigrateArguments arguments{.database = url, .folder = folder.path, .status = true};
  EXPECT_EQ(migrate(arguments).text, "pending   0001_books.sql\npending   0002_broken.sql\n");
  EXPECT_FALSE(migrate(arguments).complete);

  arguments.status = false;
  const MigrateResult failed = migrate(arguments);
  EXPECT_EQ(failed.text, "done      0001_books.sql\n");
  EXPECT_THAT(failed.failure, HasSubstr("0002_broken.sql fails: "));
  std::ofstream(folder.path / "0002_broken.sql") << "create table loan (id bigint);";
  EXPECT_EQ(migrate(arguments).text, "done      0002_broken.sql\n");
  EXPECT_EQ(migrate(arguments).text, "");

  arguments.status = true;
  EXPECT_TRUE(migrate(arguments).complete);
  EXPECT_THAT(migrate(arguments).text, StartsWith("done      0001_books.sql  (2"));
}

TEST(MigrateCommand, says_why_there_is_no_database) {
  base::TestFolder folder;
  try {
    migrate({.database = "postgresql://unknown@127.0.0.1:1/none", .folder = folder.path});
    ADD_FAILURE() << "there is one";
  } catch (const SqlError& error) {
    EXPECT_EQ(error.kind(), SqlErrorKind::Unavailable);
  }
}

}  // namespace
}  // namespace tern::command
