// SqlError: what a database, or the conversion of its rows, reports.
#pragma once

#include <tern/http/problem.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

enum class SqlErrorKind : std::uint8_t {
  UniqueViolation,      // a primary key or a unique index has that value
  ForeignKeyViolation,  // a row refers to one that does not exist, or one that is deleted is referred to
  CheckViolation,
  NotNullViolation,
  Statement,         // the statement is wrong: its syntax, a table or a column that does not exist
  Parameter,         // another number of arguments, or one that cannot be bound
  Text,              // an argument is text with a NUL, or is not UTF-8
  Column,            // a result has a column too many or too few, or a value that the C++ type cannot hold
  NoRow,             // one() and scalar() have found none
  TooManyRows,       // one(), optional() and scalar() have found several
  Busy,              // locked by another process for longer than the driver waits
  Timeout,           // the statement took longer than the driver allows
  Serialization,     // concurrent transactions cannot be put in an order: run it again
  Deadlock,          // transactions waited for each other; this one was ended: run it again
  Full,              // no space for data
  ReadOnly,          // the database, or the transaction, cannot be written
  Unavailable,       // it cannot be reached, opened, read or written; of a lost connection, the outcome is unknown
  NotADatabase,      // the file has other content, or is damaged
  TransactionEnded,  // the transaction was rolled back before this statement
  Migration,         // see Database::migrate()
  Other,
};

class SqlError : public std::exception {
public:
  SqlError(SqlErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  // For logs: it may have names and values of the database.
  const char* what() const noexcept override { return message_.c_str(); }
  SqlErrorKind kind() const noexcept { return kind_; }
  // Five characters (ISO 9075-2, section 24), such as "23505"; where the database has sent none, that of the kind.
  std::string_view sqlstate() const noexcept;
  // The driver's number; of SQLite, the extended result code. 0: the error is not the database's.
  int code() const noexcept { return code_; }

  // As far as the database says. SQLite names no foreign key.
  const std::string& constraint() const noexcept { return constraint_; }
  const std::string& table() const noexcept { return table_; }
  const std::string& column() const noexcept { return column_; }  // the first of several

  SqlError& set_sqlstate(std::string_view state) {
    state_ = state;
    return *this;
  }
  SqlError& set_code(int code) {
    code_ = code;
    return *this;
  }
  SqlError& set_constraint(std::string name) {
    constraint_ = std::move(name);
    return *this;
  }
  SqlError& set_column(std::string table, std::string column) {
    table_ = std::move(table);
    column_ = std::move(column);
    return *this;
  }

private:
  SqlErrorKind kind_;
  int code_ = 0;
  std::string message_;
  std::string state_;
  std::string constraint_;
  std::string table_;
  std::string column_;
};

// The response to an SqlError, for app.on_error(tern::sql_problem): 409 for a value that exists or a reference that
// fails, 422 for a failed check, a missing value or text that cannot be stored, 404 for NoRow, 503 with Retry-After for
// Busy, Timeout, Serialization, Deadlock and Unavailable, and otherwise 500. The detail names the column, but no value
// and no statement.
HttpError sql_problem(const SqlError& error);

}  // namespace tern
