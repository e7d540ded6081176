// Statements against a real PostgreSQL.
#include "postgres/postgres_testing.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

namespace tern::postgres {
namespace {

using ::testing::HasSubstr;

struct Book {
  std::int64_t id = 0;
  std::string title;
  std::optional<int> year;
  friend bool operator==(const Book&, const Book&) = default;
};

class PostgresQueries : public PostgresTest {
protected:
  PostgresQueries() {
    begin();
    run([&] {
      return db.script(
          "create table book (id bigint primary key, title text not null, year integer check (year > 0));"
          "insert into book values (1, 'Emma', 1815), (2, 'Ulysses', null)");
    });
  }
};

TEST_F(PostgresQueries, rows_are_structs) {
  const auto books = run([&] { return db.query<Book>("select id, title, year from book order by id"); });
  EXPECT_EQ(books, (std::vector<Book>{{1, "Emma", 1815}, {2, "Ulysses", std::nullopt}}));
  EXPECT_EQ(run([&] { return db.one<Book>("select * from book where id = $1", 2); }).title, "Ulysses");
  EXPECT_EQ(run([&] { return db.optional<Book>("select * from book where id = $1", 3); }), std::nullopt);
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from book"); }), 2);
}

TEST_F(PostgresQueries, texts_of_rows_stay_when_the_receive_buffer_is_used_again) {
  struct Line {
    int id = 0;
    std::string_view text;
    std::optional<std::string_view> price;
  };
  const auto lines = run([&]() -> Task<Rows<Line>> {
    auto found = co_await db.rows<Line>(
        "select x as id, repeat('line ', 20) || x as text, case x when 2 then 1.50 end as price "
        "from generate_series(1, 3000) as x");
    co_await db.query<std::string>("select repeat('other', 1000) from generate_series(1, 300)");
    co_return found;
  });
  ASSERT_EQ(lines.size(), 3000U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].text.starts_with("line line ")) << i;
    EXPECT_TRUE(lines[i].text.ends_with(" line " + std::to_string(i + 1))) << i;
  }
  EXPECT_EQ(lines[0].price, std::nullopt);
  EXPECT_EQ(lines[1].price, "1.50");  // all digits of a numeric
}

TEST_F(PostgresQueries, statements_are_prepared_once) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run([&] { return db.scalar<std::string>("select title from book where year = $1", 1815); }), "Emma");
  }
  const auto count = run([&] {
    return db.scalar<std::int64_t>("select count(*) from pg_prepared_statements where statement like 'select title%'");
  });
  EXPECT_EQ(count, 1);
}

TEST_F(PostgresQueries, execute_counts_rows) {
  EXPECT_EQ(run([&] { return db.execute("update book set year = coalesce(year, 0) + 1"); }), 2);
  EXPECT_EQ(run([&] { return db.execute("insert into book values ($1, $2, $3)", 7, "Persuasion", 1817); }), 1);
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("insert into book values (8, 'x') returning id"); }), 8);
  EXPECT_EQ(run([&] { return db.execute("select 1"); }), 0);
}

TEST_F(PostgresQueries, errors_have_a_kind_and_names) {
  const Failure unique = error_of([&] { return db.execute("insert into book values (1, 'x')"); });
  EXPECT_EQ(unique.kind, SqlErrorKind::UniqueViolation);
  EXPECT_EQ(unique.state, "23505");
  EXPECT_EQ(unique.constraint, "book_pkey");
  EXPECT_EQ(unique.table, "book");
  EXPECT_EQ(unique.column, "id");
  const Failure check = error_of([&] { return db.execute("insert into book values (9, 'x', -1)"); });
  EXPECT_EQ(check.kind, SqlErrorKind::CheckViolation);
  EXPECT_EQ(check.constraint, "book_year_check");
  const Failure null = error_of([&] { return db.execute("insert into book values (9, null)"); });
  EXPECT_EQ(null.kind, SqlErrorKind::NotNullViolation);
  EXPECT_EQ(null.column, "title");
  EXPECT_EQ(error_of([&] { return db.execute("selec"); }).kind, SqlErrorKind::Statement);
  EXPECT_EQ(error_of([&] { return db.execute("select * from none"); }).state, "42P01");
  EXPECT_EQ(error_of([&] { return db.one<Book>("select * from book where id = 9"); }).kind, SqlErrorKind::NoRow);
  EXPECT_EQ(error_of([&] { return db.one<Book>("select * from book"); }).kind, SqlErrorKind::TooManyRows);
}

TEST_F(PostgresQueries, columns_that_do_not_fit_are_errors_with_both_types) {
  struct Small {
    std::int8_t year = 0;
  };
  const Failure small = error_of([&] { return db.query<Small>("select year from book where id = 1"); });
  EXPECT_EQ(small.kind, SqlErrorKind::Column);
  EXPECT_THAT(small.what, HasSubstr("the column \"year\" (integer) has the value INTEGER 1815"));
  EXPECT_THAT(small.what, HasSubstr("signed char"));
  EXPECT_THAT(error_of([&] { return db.query<Book>("select id, title from book"); }).what,
              HasSubstr("\"year\" is missing"));
  EXPECT_THAT(error_of([&] { return db.query<Book>("select id, title from book where false"); }).what,
              HasSubstr("\"year\" is missing"));
  EXPECT_THAT(error_of([&] { return db.query<Book>("select *, 1 as pages from book"); }).what, HasSubstr("\"pages\""));
}

TEST_F(PostgresQueries, statements_that_change_the_connection_are_refused) {
  EXPECT_THAT(error_of([&] { return db.execute("begin"); }).what, HasSubstr("transaction()"));
  EXPECT_THAT(error_of([&] { return db.execute("set statement_timeout = 0"); }).what, HasSubstr("options="));
  // The connection works as before.
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from book"); }), 2);
}

TEST_F(PostgresQueries, a_script_leaves_nothing_behind) {
  run([&] { return db.script("set search_path = nowhere; create temporary table t (x int)"); });
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from book"); }), 2);
  EXPECT_EQ(error_of([&] { return db.script("begin; delete from book"); }).kind, SqlErrorKind::Statement);
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from book"); }), 2);
}

}  // namespace
}  // namespace tern::postgres
