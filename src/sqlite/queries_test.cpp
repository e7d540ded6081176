// Statements and rows, on a database in memory.
#include "sqlite/driver.hpp"
#include "sqlite/sqlite_testing.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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

struct BookView {
  std::int64_t id = 0;
  std::string_view title;
  std::optional<std::string_view> note;
};

TEST_F(SqliteQueries, texts_of_rows_are_views_of_memory_that_the_result_owns) {
  // More text than a block of memory has.
  const auto statement = [](const Sqlite& db) {
    return db.rows<BookView>(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) "
        "select i as id, 'A long title, number ' || i as title, case i when 2 then 'note' when 3 then '' end as note "
        "from n");
  };
  Rows<BookView> found = now(statement(db_));
  now(db_.query<Book>("select * from book"));  // reuses what the rows were read into
  Rows<BookView> books = std::move(found);
  books.push_back({1001, books.keep(std::string("A long title, number ") + "1001"), std::nullopt});
  ASSERT_EQ(books.size(), 1001U);
  for (std::size_t i = 0; i < books.size(); ++i) {
    ASSERT_EQ(books[i].title, "A long title, number " + std::to_string(i + 1));
    ASSERT_EQ(books[i].id, static_cast<std::int64_t>(i + 1));
  }
  EXPECT_EQ(books[0].note, std::nullopt);
  EXPECT_EQ(books[1].note, "note");
  EXPECT_EQ(books[2].note, "");
}

TEST_F(SqliteQueries, rows_with_views_are_lists_in_json) {
  const auto books = now(db_.rows<BookView>("select id, title, null as note from book where id < $1", 2));
  std::string text;
  json::write(text, books);
  EXPECT_EQ(text, R"([{"id":1,"title":"Emma","note":null}])");
  EXPECT_TRUE(now(db_.rows<BookView>("select id, title, null as note from book where id = 0")).empty());
}

struct BookJson {
  std::int64_t id = 0;
  json::RawView tags;
  std::optional<json::RawView> note;
};

TEST_F(SqliteQueries, json_in_rows_is_passed_on_and_checked) {
  std::string text;
  json::write(text, now(db_.rows<BookJson>("select 1 as id, '[\"a\", \"b\"]' as tags, null as note "
                                           "union all select 2, '{}', '7'")));
  EXPECT_EQ(text, R"([{"id":1,"tags":["a", "b"],"note":null},{"id":2,"tags":{},"note":7}])");
  const auto open = error_of(db_.rows<BookJson>("select 1 as id, '[1' as tags, null as note"));
  EXPECT_THAT(open.what(), HasSubstr("the column \"tags\" has the value TEXT"));
  const auto two = error_of(db_.rows<BookJson>("select 1 as id, '[]' as tags, '1,2' as note"));
  EXPECT_THAT(two.what(), HasSubstr("the column \"note\" has the value TEXT"));
  EXPECT_EQ(now(db_.query<json::Raw>("select '[1, 2]'"))[0].text, "[1,2]");
}

TEST_F(SqliteQueries, views_are_of_texts_only) {
  const auto number = error_of(db_.rows<BookView>("select 1 as id, 2 as title, null as note"));
  EXPECT_THAT(number.what(), HasSubstr("the column \"title\" has the value INTEGER 2"));
  const auto null = error_of(db_.rows<BookView>("select 1 as id, null as title, null as note"));
  EXPECT_THAT(null.what(), HasSubstr("the column \"title\" has the value NULL"));
}

TEST_F(SqliteQueries, execute_counts_the_changed_rows) {
  EXPECT_EQ(now(db_.execute("update book set year = year + 1 where year is not null")), 2);
  EXPECT_EQ(now(db_.execute("create table other (id integer)")), 0);
  EXPECT_EQ(now(db_.execute("delete from book where title = $1", "nothing")), 0);
}

TEST_F(SqliteQueries, parameters_have_numbers_whatever_their_order_is) {
  struct Pair {
    std::string a;
    std::string b;
  };
  const auto pair = now(db_.one<Pair>("select $2 as a, $1 as b where $1 = 'x' and $2 = 'y'", "x", "y"));
  EXPECT_EQ(pair.a, "y");
  EXPECT_EQ(pair.b, "x");
}

TEST_F(SqliteQueries, arguments_are_bound_and_never_part_of_the_text) {
  const std::string evil = "'; drop table book; --";
  now(db_.execute("insert into book (title) values ($1)", evil));
  EXPECT_EQ(now(db_.scalar<std::string>("select title from book where title = $1", evil)), evil);
}

TEST_F(SqliteQueries, one_optional_and_scalar_expect_a_number_of_rows) {
  EXPECT_EQ(now(db_.one<Book>("select * from book where id = 1")).title, "Emma");
  EXPECT_EQ(error_of(db_.one<Book>("select * from book where id = 9")).kind(), SqlErrorKind::NoRow);
  EXPECT_EQ(error_of(db_.one<Book>("select * from book")).kind(), SqlErrorKind::TooManyRows);
  EXPECT_EQ(now(db_.optional<Book>("select * from book where id = $1", 2))->title, "Ulysses");
  EXPECT_FALSE(now(db_.optional<Book>("select * from book where id = 9")).has_value());
  EXPECT_EQ(error_of(db_.optional<Book>("select * from book")).kind(), SqlErrorKind::TooManyRows);
  EXPECT_EQ(now(db_.scalar<int>("select count(*) from book")), 3);
  EXPECT_EQ(now(db_.query<std::string>("select title from book order by title")),
            (std::vector<std::string>{"Beowulf", "Emma", "Ulysses"}));
}

TEST_F(SqliteQueries, returning_gives_rows_of_a_statement_that_writes) {
  EXPECT_EQ(now(db_.scalar<std::int64_t>("insert into book (title) values ($1) returning id", "Dracula")), 4);
  EXPECT_EQ(
      now(db_.query<std::int64_t>("with old as (select 1 as id) delete from book where id in (select id from old) "
                                  "returning id")),
      std::vector<std::int64_t>{1});
}

TEST_F(SqliteQueries, columns_that_do_not_fit_are_named) {
  EXPECT_THAT(error_of(db_.query<Book>("select id, title from book")).what(),
              HasSubstr("the column \"year\" is missing, for a member of the C++ type std::optional<int>"));
  EXPECT_THAT(error_of(db_.query<Book>("select *, 1 as pages from book")).what(), HasSubstr("\"pages\" is no member"));
  EXPECT_THAT(error_of(db_.query<Book>("select *, 1 as year from book")).what(), HasSubstr("two columns"));
  EXPECT_THAT(error_of(db_.query<int>("select 1, 2")).what(), HasSubstr("2 columns"));
  now(db_.execute("update book set year = $1 where id = 1", std::int64_t{3'000'000'000}));
  const SqlError error = error_of(db_.query<Book>("select * from book"));
  EXPECT_EQ(error.kind(), SqlErrorKind::Column);
  EXPECT_STREQ(error.what(),
               "the column \"year\" (INTEGER) has the value INTEGER 3000000000, which the C++ type std::optional<int> "
               "cannot hold");
}

TEST_F(SqliteQueries, missing_columns_are_an_error_without_rows_too) {
  EXPECT_EQ(error_of(db_.query<Book>("select id from book where id = 9")).kind(), SqlErrorKind::Column);
}

TEST_F(SqliteQueries, text_that_others_have_stored_is_checked) {
  EXPECT_EQ(error_of(db_.scalar<std::string>("select cast(x'ff' as text)")).kind(), SqlErrorKind::Column);
  EXPECT_EQ(now(db_.scalar<std::string>("select 'a' || char(0) || 'b'")), std::string("a\0b", 3));
}

TEST_F(SqliteQueries, statements_of_the_program_are_checked) {
  const std::string table = "book";
  EXPECT_EQ(now(db_.scalar<int>(runtime("select count(*) from " + table + " where id > $1"), 1)), 2);
  EXPECT_EQ(error_of(db_.scalar<int>(runtime("select $1 + $2"), 1)).kind(), SqlErrorKind::Parameter);
  EXPECT_EQ(error_of(db_.scalar<int>(runtime("select 1"), 1)).kind(), SqlErrorKind::Parameter);
  EXPECT_EQ(error_of(db_.scalar<int>(runtime("select ?"), 1)).kind(), SqlErrorKind::Parameter);
  EXPECT_EQ(error_of(db_.scalar<int>(runtime("select :name"), 1)).kind(), SqlErrorKind::Parameter);
  EXPECT_EQ(error_of(db_.execute("selec 1")).kind(), SqlErrorKind::Statement);
  EXPECT_EQ(error_of(db_.execute("delete from nothing")).kind(), SqlErrorKind::Statement);
  EXPECT_EQ(error_of(db_.execute("delete from book where title = \"Emma\"")).kind(), SqlErrorKind::Statement);
  EXPECT_EQ(error_of(db_.execute("select 1; select 2")).kind(), SqlErrorKind::Statement);
  EXPECT_EQ(error_of(db_.execute(" ")).kind(), SqlErrorKind::Statement);
  EXPECT_EQ(now(db_.scalar<int>("select 1; -- one")), 1);
}

// As many as SQLite takes, and one more.
TEST_F(SqliteQueries, parameters_are_bounded) {
  auto* const driver = new SqliteDriver({});
  const auto last_of = [&](std::size_t parameters) -> Task<std::int64_t> {
    sql::Arguments arguments;
    std::string text = "select $" + std::to_string(parameters) + " where 1 in (";
    for (std::size_t i = 1; i <= parameters; ++i) {
      arguments.add_integer(static_cast<std::int64_t>(i));
      text.append(i == 1 ? "$" : ",$").append(std::to_string(i));
    }
    const sql::Call call(sql::CallKind::Query, text + ")", false, std::move(arguments));
    sql::RowCollector<std::int64_t> rows;
    co_await driver->run(call, &rows);
    co_return rows.rows.front();
  };
  EXPECT_EQ(now(last_of(32'766)), 32'766);
  const SqlError error = error_of(last_of(32'767));
  EXPECT_EQ(error.kind(), SqlErrorKind::Statement);
  EXPECT_THAT(error.what(), HasSubstr("variable number must be between ?1 and ?32766"));
  EXPECT_EQ(now(last_of(3)), 3);
  driver->release();
}

TEST_F(SqliteQueries, signs_of_parameters_in_texts_names_and_comments_are_none) {
  EXPECT_EQ(now(db_.scalar<std::string>(runtime("select '$1 ? :a @b' || $1 -- ? $2"), "x")), "$1 ? :a @bx");
  EXPECT_EQ(
      now(db_.scalar<int>(runtime("select [a?$1] + \"b$2\" /* :c */ from (select 1 as [a?$1], $1 as \"b$2\")"), 2)), 3);
  EXPECT_EQ(now(db_.scalar<int>(runtime("select a$1 + $1 from (select 1 as a$1)"), 2)), 3);
  for (const char* text : {"select $0", "select $a", "select @a", "select ?1", "select $1 + :b"}) {
    EXPECT_EQ(error_of(db_.scalar<int>(runtime(text), 1)).kind(), SqlErrorKind::Parameter) << text;
  }
}

TEST_F(SqliteQueries, a_transaction_cannot_be_begun_by_a_statement) {
  EXPECT_EQ(error_of(db_.execute("begin")).kind(), SqlErrorKind::Statement);
  EXPECT_EQ(error_of(db_.script("begin; delete from book; delete from nothing")).kind(), SqlErrorKind::Statement);
  EXPECT_EQ(now(db_.scalar<int>("select count(*) from book")), 3);
}

TEST_F(SqliteQueries, violations_have_kinds_and_names) {
  now(
      db_.script("create table loan (id integer primary key, book integer not null references book(id),"
                 "days integer constraint days_positive check (days > 0))"));
  const SqlError unique = error_of(db_.execute("insert into book (title) values ('Emma')"));
  EXPECT_EQ(unique.kind(), SqlErrorKind::UniqueViolation);
  EXPECT_EQ(unique.table(), "book");
  EXPECT_EQ(unique.column(), "title");
  EXPECT_EQ(unique.sqlstate(), "23505");
  EXPECT_EQ(unique.code(), 2067);
  EXPECT_EQ(error_of(db_.execute("insert into book (id, title) values (1, 'x')")).kind(),
            SqlErrorKind::UniqueViolation);
  EXPECT_EQ(error_of(db_.execute("insert into loan (book) values (77)")).kind(), SqlErrorKind::ForeignKeyViolation);
  const SqlError check = error_of(db_.execute("insert into loan (book, days) values (1, 0)"));
  EXPECT_EQ(check.kind(), SqlErrorKind::CheckViolation);
  EXPECT_EQ(check.constraint(), "days_positive");
  const SqlError missing = error_of(db_.execute("insert into loan (book) values ($1)", std::nullopt));
  EXPECT_EQ(missing.kind(), SqlErrorKind::NotNullViolation);
  EXPECT_EQ(missing.column(), "book");
}

TEST_F(SqliteQueries, a_statement_that_fails_does_not_change_those_after_it) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(error_of(db_.execute("insert into book (title) values ($1)", "Emma")).kind(),
              SqlErrorKind::UniqueViolation);
    EXPECT_EQ(error_of(db_.query<int>("select title from book")).kind(), SqlErrorKind::Column);
    EXPECT_EQ(now(db_.query<std::string>("select title from book")).size(), 3U);
  }
}

TEST_F(SqliteQueries, prepared_statements_follow_changes_of_the_schema) {
  EXPECT_EQ(now(db_.query<Book>("select * from book")).size(), 3U);
  now(db_.execute("alter table book add column pages integer"));
  EXPECT_THAT(error_of(db_.query<Book>("select * from book")).what(), HasSubstr("pages"));
  now(db_.execute("alter table book drop column pages"));
  EXPECT_EQ(now(db_.query<Book>("select * from book")).size(), 3U);
}

TEST_F(SqliteQueries, each_reads_in_batches) {
  const auto sum = [](const Sqlite& db) -> Task<std::int64_t> {
    auto numbers = db.each<std::int64_t>(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < $1) select i from n", 1000);
    std::int64_t total = 0;
    while (const auto number = co_await numbers.next()) total += *number;
    EXPECT_FALSE((co_await numbers.next()).has_value());
    co_return total;
  };
  EXPECT_EQ(now(sum(db_)), 500'500);
  EXPECT_EQ(now(sum(db_)), 500'500);
}

TEST_F(SqliteQueries, a_row_stream_that_is_dropped_frees_its_connection) {
  const auto first = [](const Sqlite& db) -> Task<std::string> {
    auto titles = db.each<std::string>("select title from book order by id");
    co_return (co_await titles.next()).value();
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(now(first(db_)), "Emma");
  EXPECT_EQ(now(db_.execute("delete from book")), 3);
}

TEST_F(SqliteQueries, an_error_can_be_a_value) {
  const auto added = now(sql_expected(db_.execute("insert into book (title) values ('Dune')")));
  ASSERT_TRUE(added.has_value());
  EXPECT_EQ(*added, 1);
  const auto again = now(sql_expected(db_.execute("insert into book (title) values ('Dune')")));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().kind(), SqlErrorKind::UniqueViolation);
  EXPECT_EQ(again.error().column(), "title");
  EXPECT_EQ(now(sql_expected(db_.one<Book>("select * from book where id = 9"))).error().kind(), SqlErrorKind::NoRow);

  // A nested transaction that fails leaves the outer one as it was.
  const auto insert = [](auto& tx) -> Task<> {
    const auto inner = [](auto& nested) -> Task<> {
      co_await nested.execute("insert into book (title) values ('Lost')");
      co_await nested.execute("insert into book (title) values ('Dune')");
    };
    const std::expected<void, SqlError> failed = co_await sql_expected(tx.transaction(inner));
    EXPECT_FALSE(failed.has_value());
    co_await tx.execute("insert into book (title) values ('Kept')");
  };
  EXPECT_TRUE(now(sql_expected(db_.transaction(insert))).has_value());
  EXPECT_EQ(now(db_.scalar<std::string>("select title from book order by id desc limit 1")), "Kept");
  EXPECT_EQ(now(db_.scalar<int>("select count(*) from book")), 5);

  const auto fail = []() -> Task<int> {
    throw std::runtime_error("of another kind");
    co_return 1;
  };
  EXPECT_THROW(static_cast<void>(now(sql_expected(fail()))), std::runtime_error);
}

TEST_F(SqliteQueries, each_only_reads) {
  const auto write = [](const Sqlite& db) -> Task<> {
    auto ids = db.each<int>("delete from book returning id");
    co_await ids.next();
  };
  EXPECT_EQ(error_of(write(db_)).kind(), SqlErrorKind::Statement);
  EXPECT_EQ(now(db_.scalar<int>("select count(*) from book")), 3);
}

TEST_F(SqliteQueries, a_failed_row_ends_the_stream) {
  const auto read = [](const Sqlite& db) -> Task<int> {
    auto years = db.each<int>("select year from book order by id");
    int count = 0;
    try {
      while (co_await years.next()) ++count;
    } catch (const SqlError& error) {
      EXPECT_EQ(error.kind(), SqlErrorKind::Column);
    }
    while (co_await years.next()) ++count;
    co_return count;
  };
  EXPECT_EQ(now(read(db_)), 2);
}

}  // namespace
}  // namespace tern::sqlite
