// SqlStore on PostgreSQL.
#include "postgres/server_backend.hpp"
#include "sql/store_contract.hpp"

namespace tern::sql {
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, SqlStoreContract, postgres::ServerBackend);
}

namespace tern::postgres {
namespace {

TEST_F(PostgresTest, a_table_that_cannot_be_created_is_a_store_error) {
  begin();
  SqlStore store(db);
  run([&store]() -> Task<> { co_await store.write("key", "one", Seconds(100)); });
  EXPECT_TRUE(throws<StoreError>(app, [this]() -> Task<> {
    SqlStore other(db, {.table = "no_such_schema.entries"});
    co_await other.read("key");
  }));
}

}  // namespace
}  // namespace tern::postgres
