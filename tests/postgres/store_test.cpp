// SqlStore on PostgreSQL.
#include "postgres/postgres_testing.hpp"
#include "sql/store_contract.hpp"

#include <utility>

namespace tern::postgres {

// Not in an unnamed namespace: GCC warns of the coroutines of its templates there.
class ServerBackend {
public:
  ServerBackend() {
    Options options = quiet();
    options.threads = 1;
    app_.start(options);
  }
  ~ServerBackend() { app_.stop(); }

  const sql::Database& database() const { return database_; }
  template <class T>
  T run(Task<T> task) {
    return on_loop(app_, [&task] { return std::move(task); });
  }

private:
  static PostgresOptions options_of(const testing::PostgresSchema& schema) {
    PostgresOptions options;
    options.url = schema.url();
    return options;
  }

  testing::PostgresSchema schema_{shared_server()};
  Postgres database_{options_of(schema_)};
  App app_;
};

}  // namespace tern::postgres

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
