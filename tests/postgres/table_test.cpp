// insert() and update() on PostgreSQL.
#include "postgres/server_backend.hpp"
#include "sql/table_contract.hpp"

#include <string>
#include <vector>

namespace tern::sql {
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, SqlTableContract, postgres::ServerBackend);
}

namespace tern::postgres {
namespace {

using ::testing::HasSubstr;

struct Tagged {
  std::string title;
  std::vector<std::string> tags;
  std::optional<std::int64_t> year;
};

class PostgresTable : public PostgresTest {
protected:
  PostgresTable() {
    begin();
    run([&] { return db.script("create table tagged (title text, tags text[], year smallint)"); });
  }
};

TEST_F(PostgresTable, statements_are_prepared_once) {
  run([&]() -> Task<> {
    for (int i = 0; i < 3; ++i) {
      const Tagged one{"Emma", {"a", "b, c"}, i};  // GCC 12 compiles no such list within co_await
      co_await db.insert("tagged", one);
      const Tagged other{"Emma", {"d"}, std::nullopt};
      co_await db.update("tagged", other, "title");
      const std::vector<Tagged> many(145, Tagged{"Ulysses", {}, 1922});
      co_await db.insert_all("tagged", many);  // 128, 16 and 1
    }
  });
  const auto prepared = run([&] {
    return db.query<std::string>(
        "select left(statement, 6) from pg_prepared_statements where name <> '' and statement not like 'select%' and "
        "statement like '%\"tagged\"%' "
        "order by 1");
  });
  EXPECT_EQ(prepared, (std::vector<std::string>{"insert", "insert", "insert", "update"}));
  EXPECT_EQ(
      run([&] { return db.scalar<std::int64_t>("select count(*) from tagged where tags = '{d}' and year is null"); }),
      3);
}

TEST_F(PostgresTable, numbers_that_do_not_fit_are_named) {
  const Tagged late{"Emma", {}, 70'000};
  const Failure one = error_of([&] { return db.insert("tagged", late); });
  EXPECT_EQ(one.kind, SqlErrorKind::Parameter);
  EXPECT_EQ(one.table, "tagged");
  EXPECT_EQ(one.column, "year");
  EXPECT_THAT(one.what, HasSubstr("is 70000, which the type smallint cannot hold"));
  std::vector<Tagged> many(20, Tagged{"Ulysses", {}, 1922});
  many[9].year = -70'000;
  const Failure several = error_of([&] { return db.insert_all("tagged", many); });
  EXPECT_EQ(several.column, "year");
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from tagged"); }), 0);
}

TEST_F(PostgresTable, a_name_may_have_a_schema) {
  const std::string table = schema.name() + ".tagged";
  const Tagged emma{"Emma", {}, 1};
  EXPECT_EQ(run([&] { return db.insert(runtime(table), emma); }), 1);
}

}  // namespace
}  // namespace tern::postgres
