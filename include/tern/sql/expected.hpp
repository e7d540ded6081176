// sql_expected: an SqlError as a value, for code that decides where it occurs.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/sql/error.hpp>

#include <expected>
#include <type_traits>
#include <utility>

namespace tern {

// The result of a statement or a transaction, or the SqlError that it throws. Other exceptions pass: Cancelled, and
// Overloaded.
//
//   const auto added = co_await tern::sql_expected(db.execute("insert into tag (name) values ($1)", name));
//   if (!added && added.error().kind() == tern::SqlErrorKind::UniqueViolation) co_return known_tag(name);
//
// A statement that fails within a transaction of PostgreSQL has ended it: there, make it a nested one.
template <class T>
Task<std::expected<T, SqlError>> sql_expected(Task<T> task) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(task);
      co_return std::expected<T, SqlError>();
    } else {
      co_return std::expected<T, SqlError>(co_await std::move(task));
    }
  } catch (const SqlError& error) {
    co_return std::unexpected(error);
  }
}

}  // namespace tern
