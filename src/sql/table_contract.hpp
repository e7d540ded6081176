// The tests of insert(), insert_all() and update() for every database; a driver's test program says what that of
// store_contract.hpp does, and
//
//   static constexpr std::string_view id;  // the type of a column whose values the database makes
#pragma once

#include <tern/sql.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::sql::contract {

struct NewBook {
  std::string title;
  std::optional<int> year;
};
struct Book {
  std::int64_t id = 0;
  std::string title;
  std::optional<int> year;
  friend bool operator==(const Book&, const Book&) = default;
};
struct Id {
  std::int64_t id = 0;
};
struct Titled {
  std::int64_t id = 0;
  std::string_view title;
};

// Names that need their quotes.
struct Line {
  int order = 0;
  int number = 0;
  std::string text;
  friend bool operator==(const Line&, const Line&) = default;
};

}  // namespace tern::sql::contract

template <>
struct tern::JsonNames<tern::sql::contract::Line> {
  static constexpr tern::json::Rename renames[] = {{"number", "from \"$9\""}, {"text", "Select ?"}};
};

namespace tern::sql {

using contract::Book;
using contract::Id;
using contract::Line;
using contract::NewBook;
using contract::Titled;

template <class Backend>
class SqlTableContract : public ::testing::Test {
protected:
  SqlTableContract() {
    run(database().script(tern::runtime(
        "create table book (id " + std::string(Backend::id) +
        ", title varchar(40) not null unique, year smallint check (year > 0), "
        "shouted text generated always as (upper(title)) stored);"
        "create table shelf (number integer primary key, book bigint references book (id));"
        "create table \"a \"\" table\" (\"order\" integer, \"from \"\"$9\"\"\" integer, \"Select ?\" text);")));
  }
  const Database& database() { return backend.database(); }
  template <class T>
  T run(Task<T> task) {
    return backend.run(std::move(task));
  }

  struct Failure {
    SqlErrorKind kind = SqlErrorKind::Other;
    std::string what = "there was no error";
    std::string table;
    std::string column;
  };
  template <class T>
  static Task<Failure> failure_of(Task<T> task) {
    try {
      co_await std::move(task);
    } catch (const SqlError& error) {
      co_return Failure{error.kind(), error.what(), error.table(), error.column()};
    }
    co_return Failure{};
  }
  template <class T>
  Failure error_of(Task<T> task) {
    return run(failure_of(std::move(task)));
  }

  // (Rows with names: see Queries::insert().)
  template <class R = void, class T>
  auto insert(SqlTable table, const T& row) {
    return run(database().template insert<R>(table, row));
  }
  template <class R = void, class T>
  auto update(SqlTable table, const T& row, SqlKeys<std::type_identity_t<T>> keys) {
    return run(database().template update<R>(table, row, keys));
  }
  template <class T>
  Failure insert_error(SqlTable table, const T& row) {
    return error_of(database().insert(table, row));
  }
  template <class R, class T>
  Failure update_error(SqlTable table, const T& row, SqlKeys<std::type_identity_t<T>> keys) {
    return error_of(database().template update<R>(table, row, keys));
  }

  Backend backend;
};
TYPED_TEST_SUITE_P(SqlTableContract);

TYPED_TEST_P(SqlTableContract, a_struct_is_inserted_and_comes_back_as_another) {
  const Database& db = this->database();
  EXPECT_EQ(this->insert("book", NewBook{"Emma", 1815}), 1);
  const auto insert = [](const Database& database) -> Task<Book> {
    const NewBook book{"Beowulf", std::nullopt};
    co_return co_await database.insert<Book>("book", book);
  };
  const Book made = this->run(insert(db));
  EXPECT_NE(made.id, 0);
  EXPECT_EQ(made.title, "Beowulf");
  EXPECT_EQ(made.year, std::nullopt);
  EXPECT_EQ(this->run(db.template one<Book>("select id, title, year from book where id = $1", made.id)), made);
  struct Generated {
    std::string shouted;
  };
  EXPECT_EQ(this->template insert<Generated>("book", NewBook{"Ulysses", 1922}).shouted, "ULYSSES");
  // With an id of its own, as the whole row.
  EXPECT_EQ(this->template insert<Book>("book", Book{70, "Middlemarch", 1871}), (Book{70, "Middlemarch", 1871}));
  // Views and literals are arguments, too.
  EXPECT_EQ(this->insert("book", Titled{71, "Persuasion"}), 1);
  EXPECT_EQ(this->run(db.template scalar<std::string>("select title from book where id = 71")), "Persuasion");
}

TYPED_TEST_P(SqlTableContract, a_struct_is_updated_where_its_keys_are) {
  const Database& db = this->database();
  const std::array books = {Book{1, "Emma", 1815}, Book{2, "Ulysses", 1922}};
  EXPECT_EQ(this->run(db.insert_all("book", books)), 2);
  const auto update = [](const Database& database) -> Task<std::int64_t> {
    const Book book{2, "Ulysses, annotated", std::nullopt};
    co_return co_await database.update("book", book, "id");
  };
  EXPECT_EQ(this->run(update(db)), 1);
  EXPECT_EQ(this->run(db.template one<Book>("select id, title, year from book where id = 2")),
            (Book{2, "Ulysses, annotated", std::nullopt}));
  EXPECT_EQ(this->run(db.template one<Book>("select id, title, year from book where id = 1")), books[0]);
  EXPECT_EQ(this->update("book", Book{9, "Nothing", 1}, "id"), 0);
  EXPECT_EQ(this->template update<Book>("book", Book{1, "Emma", 1816}, "id"), (Book{1, "Emma", 1816}));
  EXPECT_EQ(this->template update<Book>("book", Book{9, "Nothing", 1}, "id"), std::nullopt);
  EXPECT_EQ(this->update("book", NewBook{"Emma", 1817}, "title"), 1);
  EXPECT_EQ(this->run(db.template scalar<int>("select year from book where id = 1")), 1817);
}

TYPED_TEST_P(SqlTableContract, names_are_quoted_whatever_they_are) {
  const Database& db = this->database();
  const std::string table = "a \" table";
  const std::vector<Line> lines = {{1, 1, "a"}, {1, 2, "b"}, {2, 1, "c"}};
  EXPECT_EQ(this->run(db.insert_all("a \" table", lines)), 3);
  EXPECT_EQ(this->template insert<Line>(tern::runtime(table), Line{3, 3, "d"}), (Line{3, 3, "d"}));
  const auto update = [](const Database& database) -> Task<std::int64_t> {
    const Line line{1, 2, "changed"};
    co_return co_await database.update("a \" table", line, {"order", "from \"$9\""});
  };
  EXPECT_EQ(this->run(update(db)), 1);
  EXPECT_EQ(this->run(db.template query<std::string>(
                "select \"Select ?\" from \"a \"\" table\" order by \"order\", \"from \"\"$9\"\"\"")),
            (std::vector<std::string>{"a", "changed", "c", "d"}));
  const std::string evil = "book\"; drop table book; --";
  EXPECT_EQ(this->insert_error(tern::runtime(evil), NewBook{"x", 1}).kind, SqlErrorKind::Statement);
  EXPECT_EQ(this->run(db.template scalar<int>("select count(*) from book")), 0);
  const std::vector<std::string> bad_names = {"", ".", "book.", ".book", "a.b.c", std::string("bo\0ok", 5)};
  for (const std::string& bad : bad_names) {
    EXPECT_THROW(SqlTable(tern::runtime(bad)), SqlError) << bad;
  }
}

TYPED_TEST_P(SqlTableContract, values_are_bound) {
  const Database& db = this->database();
  const std::string evil = "'); drop table book; --$1?";
  EXPECT_EQ(this->insert("book", NewBook{evil, 1}), 1);
  EXPECT_EQ(this->run(db.template scalar<std::string>("select title from book")), evil);
}

TYPED_TEST_P(SqlTableContract, many_rows_are_inserted_all_or_none) {
  const Database& db = this->database();
  EXPECT_EQ(this->run(db.insert_all("book", std::vector<Book>())), 0);
  std::int64_t id = 0;
  // Whatever the sizes of the statements are.
  for (const std::size_t count : {1U, 15U, 16U, 17U, 127U, 128U, 129U, 300U, 10'000U}) {
    std::vector<Book> books;
    for (std::size_t i = 0; i < count; ++i) {
      ++id;
      books.push_back({id, "Volume " + std::to_string(id), id % 3 == 0 ? std::nullopt : std::optional<int>(id)});
    }
    EXPECT_EQ(this->run(db.insert_all("book", std::span(books))), static_cast<std::int64_t>(count));
  }
  const auto books = this->run(db.template query<Book>("select id, title, year from book order by id"));
  ASSERT_EQ(books.size(), static_cast<std::size_t>(id));
  for (const Book& book : books) {
    ASSERT_EQ(book.title, "Volume " + std::to_string(book.id));
    ASSERT_EQ(book.year, book.id % 3 == 0 ? std::nullopt : std::optional<int>(book.id));
  }
  // The last of many exists.
  std::vector<NewBook> doubled;
  for (int i = 0; i < 400; ++i) doubled.push_back({"New " + std::to_string(i), 1});
  doubled.push_back({"Volume 7", 1});
  const auto failure = this->error_of(db.insert_all("book", doubled));
  EXPECT_EQ(failure.kind, SqlErrorKind::UniqueViolation);
  EXPECT_EQ(failure.table, "book");
  EXPECT_EQ(failure.column, "title");
  EXPECT_EQ(this->run(db.template scalar<std::int64_t>("select count(*) from book")), id);
}

TYPED_TEST_P(SqlTableContract, they_are_a_part_of_a_transaction) {
  const Database& db = this->database();
  const auto write = [](const Database& database, bool fails) -> Task<> {
    const auto work = [fails](Transaction& tx) -> Task<> {
      const std::vector<Book> books(1, Book{1, "Emma", 1815});
      co_await tx.insert_all("book", books);
      const Book book{2, "Ulysses", 1922};
      const Id id = co_await tx.insert<Id>("book", book);
      const Book annotated{id.id, "Ulysses, annotated", 1922};
      co_await tx.update("book", annotated, "id");
      if (fails) throw SqlError(SqlErrorKind::Other, "enough");
    };
    co_await database.transaction(work);
  };
  EXPECT_EQ(this->error_of(write(db, true)).what, "enough");
  EXPECT_EQ(this->run(db.template scalar<int>("select count(*) from book")), 0);
  this->run(write(db, false));
  EXPECT_EQ(this->run(db.template query<std::string>("select title from book order by id")),
            (std::vector<std::string>{"Emma", "Ulysses, annotated"}));
}

TYPED_TEST_P(SqlTableContract, they_are_a_part_of_a_batch) {
  const Database& db = this->database();
  SqlBatch batch;
  auto counted = batch.insert("book", Book{1, "Emma", 1815});
  auto made = batch.template insert<Book>("book", NewBook{"Beowulf", std::nullopt});
  auto updated = batch.update("book", Book{1, "Emma", 1816}, "id");
  auto found = batch.template update<Book>("book", NewBook{"Beowulf", 700}, "title");
  auto none = batch.template update<Book>("book", Book{99, "None", 1}, "id");
  this->run(db.run(batch));
  EXPECT_EQ(counted.take(), 1);
  EXPECT_EQ(made.take().title, "Beowulf");
  EXPECT_EQ(updated.take(), 1);
  EXPECT_EQ(found.take().value().year, 700);
  EXPECT_EQ(none.take(), std::nullopt);
}

TYPED_TEST_P(SqlTableContract, errors_name_the_table_and_the_column) {
  using ::testing::HasSubstr;
  const Database& db = this->database();
  this->insert("book", Book{1, "Emma", 1815});
  const auto expect = [&](const auto& failure, SqlErrorKind kind, std::string_view table, std::string_view column) {
    EXPECT_EQ(failure.kind, kind) << failure.what;
    EXPECT_EQ(failure.table, table) << failure.what;
    EXPECT_EQ(failure.column, column) << failure.what;
  };
  // Found before anything is sent: text that is none. In the second of two rows, and in a batch.
  const Book bad{2, "\xff", 1};
  const auto text = this->error_of([&]() -> Task<> { co_await db.insert("book", bad); }());
  expect(text, SqlErrorKind::Text, "book", "title");
  EXPECT_THAT(text.what, HasSubstr("the column \"title\" of the table \"book\": argument $2 is not UTF-8"));
  const std::vector<Book> two = {Book{3, "Fine", 1}, bad};
  expect(this->error_of([&]() -> Task<> { co_await db.insert_all("book", two); }()), SqlErrorKind::Text, "book",
         "title");
  SqlBatch batch;
  EXPECT_THROW(batch.update("book", bad, "id"), SqlError);
  // By the database.
  expect(this->insert_error("book", NewBook{"Emma", 1}), SqlErrorKind::UniqueViolation, "book", "title");
  expect(this->insert_error("book", Id{5}), SqlErrorKind::NotNullViolation, "book", "title");
  EXPECT_EQ(this->insert_error("book", NewBook{"Zero", 0}).kind, SqlErrorKind::CheckViolation);
  struct Shelf {
    int number = 0;
    std::int64_t book = 0;
  };
  const auto reference = this->insert_error("shelf", Shelf{1, 77});
  EXPECT_EQ(reference.kind, SqlErrorKind::ForeignKeyViolation);
  EXPECT_EQ(reference.table, "shelf");
  struct Paged {
    std::string title;
    int pages = 0;
  };
  EXPECT_THAT(this->insert_error("book", Paged{"x", 1}).what, AllOf(HasSubstr("book"), HasSubstr("pages")));
  EXPECT_THAT(this->insert_error("none", NewBook{"x", 1}).what, HasSubstr("none"));
  // The row does not fit the struct that is returned.
  struct Small {
    std::int8_t year = 0;
  };
  const auto small = this->template update_error<Small>("book", Book{1, "Emma", 1815}, "id");
  EXPECT_EQ(small.kind, SqlErrorKind::Column);
  EXPECT_THAT(small.what, HasSubstr("the column \"year\""));
}

REGISTER_TYPED_TEST_SUITE_P(SqlTableContract, a_struct_is_inserted_and_comes_back_as_another,
                            a_struct_is_updated_where_its_keys_are, names_are_quoted_whatever_they_are,
                            values_are_bound, many_rows_are_inserted_all_or_none, they_are_a_part_of_a_transaction,
                            they_are_a_part_of_a_batch, errors_name_the_table_and_the_column);

}  // namespace tern::sql
