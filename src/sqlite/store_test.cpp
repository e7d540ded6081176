// SqlStore on SQLite.
#include "sql/store_contract.hpp"
#include "sqlite/file_backend.hpp"

#include <string>

namespace tern::sql {
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, SqlStoreContract, sqlite::FileBackend);
}

namespace tern::sqlite {
namespace {

TEST(SqliteStore, keeps_its_entries_in_the_file) {
  const base::TestFolder folder;
  const std::string path = folder.path / "store.db";
  {
    const Sqlite database({.path = path});
    SqlStore store(database);
    now(store.write("key", "one", Seconds(100)));
  }
  const Sqlite again({.path = path});
  SqlStore store(again);
  EXPECT_EQ(now(store.read("key")).value().value, "one");
}

TEST(SqliteStore, a_database_that_fails_is_a_store_error) {
  const base::TestFolder folder;
  const std::string path = folder.path / "store.db";
  const Sqlite writable({.path = path, .busy_timeout = Milliseconds(1)});
  SqlStore store(writable);
  const auto version = now(store.write("key", "one", Seconds(100)));
  const Sqlite read_only({.path = path, .read_only = true});
  SqlStore refused(read_only, {.create_table = false});
  EXPECT_EQ(now(refused.read("key")).value().version, version);
  EXPECT_THROW(now(refused.write("key", "two", Seconds(100))), StoreError);
  EXPECT_THROW(now(refused.write("key", "two", Seconds(100), version)), StoreError);
  EXPECT_THROW(now(refused.extend("key", Seconds(100))), StoreError);
  EXPECT_THROW(now(refused.erase("key")), StoreError);
  EXPECT_THROW(now(refused.sweep()), StoreError);
  now(writable.script("drop table tern_store"));
  EXPECT_THROW(now(refused.read("key")), StoreError);
}

TEST(SqliteStore, a_sweep_that_fails_does_not_fail_the_write) {
  const Sqlite database;
  SqlStore store(database);
  now(database.script(runtime(SqlStore::schema() +
                              "create trigger keep before delete on tern_store begin select raise(abort, 'kept'); end;"
                              "insert into tern_store values (x'61', x'', 1, 1);")));
  EXPECT_TRUE(now(store.write("key", "one", Seconds(100))));
  EXPECT_THROW(now(store.sweep()), StoreError);
  EXPECT_EQ(now(store.read("key")).value().value, "one");
}

}  // namespace
}  // namespace tern::sqlite
