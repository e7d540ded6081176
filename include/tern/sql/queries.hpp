// Queries: the functions of databases and transactions that run statements.
#pragma once

#include <tern/coro/offload.hpp>
#include <tern/coro/task.hpp>
#include <tern/sql/driver.hpp>
#include <tern/sql/error.hpp>
#include <tern/sql/rows.hpp>
#include <tern/sql/statement.hpp>
#include <tern/sql/table.hpp>
#include <tern/sql/text_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {
class SqlBatch;
}

namespace tern::sql {
namespace detail {

template <std::size_t Count, class... A>
Call make_call(CallKind kind, SqlText<Count> text, const A&... values) {
  Arguments arguments;
  (encode(arguments, values), ...);
  return Call(kind, text.text(), text.is_literal(), std::move(arguments));
}

// As those of the driver; each is a step of the trace, if the request has one.
Task<std::int64_t> run(Driver& driver, const Call& call, RowReader* rows);
Task<> run_all(Driver& driver, Steps steps);
base::Box<Cursor> open(Driver& driver, Call call);

// Throws SqlError (NoRow or TooManyRows) unless there is one.
void expect_one_row(std::size_t rows, std::string_view statement);
void expect_at_most_one_row(std::size_t rows, std::string_view statement);

template <class T>
Task<std::vector<T>> query(Driver& driver, Call call) {
  RowCollector<T> collector;
  co_await run(driver, call, &collector);
  co_return std::move(collector.rows);
}

template <class T>
Task<Rows<T>> rows(Driver& driver, Call call) {
  RowsCollector<T> collector;
  co_await run(driver, call, &collector);
  co_return std::move(collector.result);
}

template <class T>
Task<T> one(Driver& driver, Call call) {
  RowCollector<T> collector(2);
  co_await run(driver, call, &collector);
  expect_one_row(collector.rows.size(), call.text());
  co_return std::move(collector.rows.front());
}

template <class T>
Task<std::optional<T>> optional(Driver& driver, Call call) {
  RowCollector<T> collector(2);
  co_await run(driver, call, &collector);
  expect_at_most_one_row(collector.rows.size(), call.text());
  std::optional<T> result;
  if (!collector.rows.empty()) result.emplace(std::move(collector.rows.front()));
  co_return result;
}

Task<std::int64_t> execute(Driver& driver, Call call);

template <class R>
Task<R> write_one(Driver& driver, Call call, Target target) {
  RowCollector<R> collector(2);
  co_await write(driver, call, &collector, target);
  expect_one_row(collector.rows.size(), call.text());
  co_return std::move(collector.rows.front());
}

template <class R>
Task<std::optional<R>> write_optional(Driver& driver, Call call, Target target) {
  RowCollector<R> collector(2);
  co_await write(driver, call, &collector, target);
  expect_at_most_one_row(collector.rows.size(), call.text());
  std::optional<R> result;
  if (!collector.rows.empty()) result.emplace(std::move(collector.rows.front()));
  co_return result;
}

template <class... A>
consteval void check_arguments() {
  static_assert(((!std::is_aggregate_v<std::remove_cvref_t<A>> || coro::SafelyAwaited<A>) && ...),
                "tern: this GCC destroys such a temporary twice: give the argument a name");
}

template <class R>
struct Writing {
  using Inserted = R;
  using Updated = std::optional<R>;
};
template <>
struct Writing<void> {
  using Inserted = std::int64_t;
  using Updated = std::int64_t;
};

}  // namespace detail

// Runs statements of a database or a transaction. Arguments are copied and bound to $1, $2 …; the text is a literal, or
// tern::runtime(text). T is a struct, whose members are the columns by their names (JsonNames), or a column's type. A
// task must not outlive its database or transaction.
//
// All throw SqlError; Cancelled if the coroutine is stopped; Overloaded (503) if too many wait for a connection.
class Queries {
public:
  // All rows.
  template <RowType T, class... A>
  Task<std::vector<T>> query(SqlText<sizeof...(A)> text, A&&... arguments) const {
    detail::check_arguments<A...>();
    return detail::query<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // All rows, of structs with std::string_view for texts, which are views of memory that the result owns: no string is
  // allocated for each. For large results that are written and forgotten.
  template <json::Aggregate T, class... A>
  Task<Rows<T>> rows(SqlText<sizeof...(A)> text, A&&... arguments) const {
    detail::check_arguments<A...>();
    return detail::rows<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // The one row.
  template <RowType T, class... A>
  Task<T> one(SqlText<sizeof...(A)> text, A&&... arguments) const {
    detail::check_arguments<A...>();
    return detail::one<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // The one row, or none: as the result of a handler, a 404.
  template <RowType T, class... A>
  Task<std::optional<T>> optional(SqlText<sizeof...(A)> text, A&&... arguments) const {
    detail::check_arguments<A...>();
    return detail::optional<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // The one column of the one row.
  template <ColumnType T, class... A>
  Task<T> scalar(SqlText<sizeof...(A)> text, A&&... arguments) const {
    detail::check_arguments<A...>();
    return detail::one<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // The number of rows that were inserted, updated or deleted.
  template <class... A>
  Task<std::int64_t> execute(SqlText<sizeof...(A)> text, A&&... arguments) const {
    detail::check_arguments<A...>();
    return detail::execute(driver(), detail::make_call(CallKind::Execute, text, arguments...));
  }
  // Any number of statements, separated by semicolons.
  Task<std::int64_t> script(SqlText<0> text) const {
    return detail::execute(driver(), detail::make_call(CallKind::Script, text));
  }
  // Inserts a row: the members of the struct are the columns, so one that the database makes (an id) is no member of
  // it. The number of rows. With a struct R, the row as it was inserted, with the columns of R:
  //
  //   const Book book = co_await db.insert<Book>("book", new_book);
  template <class R = void, class T>
    requires json::Aggregate<std::remove_cvref_t<T>>
  Task<typename detail::Writing<R>::Inserted> insert(SqlTable table, T&& row) const {
    static_assert(coro::SafelyAwaited<T>, "tern: this GCC destroys such a temporary twice: give the row a name");
    using Row = std::remove_cvref_t<T>;
    if constexpr (std::is_void_v<R>) {
      return detail::write(driver(), detail::insert_call<R, Row>(table, row), detail::target_of<Row>(table));
    } else {
      return detail::write_one<R>(driver(), detail::insert_call<R, Row>(table, row), detail::target_of<Row>(table));
    }
  }
  // Inserts any number of rows, all or none; a std::vector, std::array or std::span of structs. The number of rows.
  template <class Range>
    requires requires(Range& rows) { std::span(rows); }
  Task<std::int64_t> insert_all(SqlTable table, Range&& rows) const {
    static_assert(!json::Aggregate<Range> || coro::SafelyAwaited<Range>,
                  "tern: this GCC destroys such a temporary twice: give the rows a name");
    const std::span views(rows);
    using Row = std::remove_cv_t<typename decltype(views)::element_type>;
    return detail::Insertion::run(driver(), detail::insertion_of<Row>(table, views));
  }
  // Sets all columns of `row` but the keys, where the keys have the values of `row`: the number of rows. With a struct
  // R, the row as it is then, or none; if there are several, TooManyRows, and they are updated.
  //
  //   co_await db.update("book", book, "id");
  //   co_await db.update("line", line, {"order", "number"});
  template <class R = void, class T>
    requires json::Aggregate<std::remove_cvref_t<T>>
  Task<typename detail::Writing<R>::Updated> update(SqlTable table, T&& row,
                                                    std::type_identity_t<SqlKeys<std::remove_cvref_t<T>>> keys) const {
    static_assert(coro::SafelyAwaited<T>, "tern: this GCC destroys such a temporary twice: give the row a name");
    using Row = std::remove_cvref_t<T>;
    if constexpr (std::is_void_v<R>) {
      return detail::write(driver(), detail::update_call<R, Row>(table, row, keys), detail::target_of<Row>(table));
    } else {
      return detail::write_optional<R>(driver(), detail::update_call<R, Row>(table, row, keys),
                                       detail::target_of<Row>(table));
    }
  }
  // Statements that are sent together and take effect together; their results are in the batch.
  Task<> run(SqlBatch& batch) const;
  // The rows of a statement that reads, one by one in bounded memory:
  //
  //   auto books = db.each<Book>("select id, title from book");
  //   while (auto book = co_await books.next()) …
  template <RowType T, class... A>
  RowStream<T> each(SqlText<sizeof...(A)> text, const A&... arguments) const {
    return RowStream<T>(detail::open(driver(), detail::make_call(CallKind::Query, text, arguments...)));
  }

protected:
  Queries() = default;
  Queries(const Queries&) = default;
  Queries& operator=(const Queries&) = default;
  ~Queries() = default;

private:
  virtual Driver& driver() const = 0;
};

}  // namespace tern::sql
