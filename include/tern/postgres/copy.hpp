// COPY: many rows into a table, and out of one, without a statement for each.
#pragma once

#include <tern/base/box.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/task.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

namespace postgres {
class CopyIn;
class CopyOut;
class PostgresDriver;
class Transaction;
}  // namespace postgres

// Where the content of a COPY FROM STDIN is written. Valid during the function that gets it.
class CopyWriter {
public:
  // `transaction` may be null.
  CopyWriter(postgres::PostgresDriver& driver, postgres::Transaction* transaction);

  // Any part of the content, in the format that the statement says. Waits while much is not sent yet. Throws SqlError
  // if the database has refused what was written before.
  Task<> write(std::string_view bytes);

  // For Postgres::copy_in().
  Task<> begin(std::string statement, bool literal);
  Task<std::int64_t> end(std::exception_ptr error);

private:
  base::Box<postgres::CopyIn> copy_;
};

// The content of a COPY TO STDOUT, part by part in bounded memory. Belongs to one coroutine. Must not outlive its
// database. In a transaction, no other statement runs until its end or its destruction; if it is destroyed before its
// end, the transaction can only be rolled back.
class CopyReader {
public:
  // `transaction` may be null.
  CopyReader(postgres::PostgresDriver& driver, postgres::Transaction* transaction, std::string statement, bool literal);

  // One row, in the formats text and csv; unset at the end. Throws SqlError.
  Task<std::optional<std::string>> next();

private:
  base::Box<postgres::CopyOut> copy_;
};

namespace postgres {

template <class F>
Task<std::int64_t> copy_in(PostgresDriver& driver, Transaction* transaction, std::string statement, bool literal,
                           F produce) {
  CopyWriter writer(driver, transaction);
  co_await writer.begin(std::move(statement), literal);
  std::exception_ptr error;
  try {
    co_await produce(writer);
  } catch (...) {
    error = std::current_exception();
  }
  co_return co_await uncancelled(writer.end(std::move(error)));
}

}  // namespace postgres
}  // namespace tern
