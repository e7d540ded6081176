// Queries: the functions of databases and transactions that run statements.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/sql/driver.hpp>
#include <tern/sql/error.hpp>
#include <tern/sql/rows.hpp>
#include <tern/sql/statement.hpp>
#include <tern/sql/text_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
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
  Task<std::vector<T>> query(SqlText<sizeof...(A)> text, const A&... arguments) const {
    return detail::query<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // All rows, of structs with std::string_view for texts, which are views of memory that the result owns: no string is
  // allocated for each. For large results that are written and forgotten.
  template <json::Aggregate T, class... A>
  Task<Rows<T>> rows(SqlText<sizeof...(A)> text, const A&... arguments) const {
    return detail::rows<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // The one row.
  template <RowType T, class... A>
  Task<T> one(SqlText<sizeof...(A)> text, const A&... arguments) const {
    return detail::one<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // The one row, or none: as the result of a handler, a 404.
  template <RowType T, class... A>
  Task<std::optional<T>> optional(SqlText<sizeof...(A)> text, const A&... arguments) const {
    return detail::optional<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // The one column of the one row.
  template <ColumnType T, class... A>
  Task<T> scalar(SqlText<sizeof...(A)> text, const A&... arguments) const {
    return detail::one<T>(driver(), detail::make_call(CallKind::Query, text, arguments...));
  }
  // The number of rows that were inserted, updated or deleted.
  template <class... A>
  Task<std::int64_t> execute(SqlText<sizeof...(A)> text, const A&... arguments) const {
    return detail::execute(driver(), detail::make_call(CallKind::Execute, text, arguments...));
  }
  // Any number of statements, separated by semicolons.
  Task<std::int64_t> script(SqlText<0> text) const {
    return detail::execute(driver(), detail::make_call(CallKind::Script, text));
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
