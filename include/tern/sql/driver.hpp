// What a driver implements: the way to one database, without the types of the program.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/task.hpp>
#include <tern/sql/statistics.hpp>
#include <tern/sql/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tern::sql {

enum class CallKind : std::uint8_t {
  Query,    // one statement with rows
  Execute,  // one statement, whose rows are skipped
  Script,   // any number of statements without arguments
};

// A statement with its arguments.
class Call {
public:
  // A literal is borrowed.
  Call(CallKind kind, std::string_view text, bool literal, Arguments arguments)
      : kind_(kind), arguments_(std::move(arguments)) {
    if (literal) {
      literal_ = text;
    } else {
      copy_ = text;
    }
  }

  // With a text that the library has made. `shown`: of names that are a part of the program, as a literal is.
  static Call made(CallKind kind, std::string text, bool shown, Arguments arguments) {
    Call call(kind, {}, true, std::move(arguments));
    call.copy_ = std::move(text);
    call.shown_ = shown;
    return call;
  }

  CallKind kind() const noexcept { return kind_; }
  bool is_literal() const noexcept { return !literal_.empty(); }
  // Whether traces may show the text.
  bool is_shown() const noexcept { return shown_ || is_literal(); }
  std::string_view text() const noexcept { return literal_.empty() ? std::string_view(copy_) : literal_; }
  const Arguments& arguments() const noexcept { return arguments_; }

private:
  CallKind kind_;
  std::string_view literal_;
  std::string copy_;
  bool shown_ = false;
  Arguments arguments_;
};

// Takes the rows of a result, perhaps on another thread. May throw.
class RowReader {
public:
  RowReader() = default;
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  // Once, before the first row, also if there is none.
  virtual void columns(std::span<const Column> columns) = 0;
  // False: no further row is wanted.
  virtual bool row(std::span<const Column> columns, std::span<const Value> values) = 0;

protected:
  ~RowReader() = default;
};

// One statement of several that run together; see SqlBatch.
struct Step {
  enum class State : std::uint8_t { Waiting, Done, Taken };

  Step(Call made, RowReader* reader) : call(std::move(made)), rows(reader) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;

  // Throws std::logic_error unless it is done, and its result was not taken.
  void take();

  Call call;
  RowReader* rows;  // null for CallKind::Execute; its columns() is called again if all is run again
  std::int64_t changed = 0;
  State state = State::Waiting;
};
using Steps = std::span<const base::Box<Step>>;

// A result that is read in batches.
class Cursor {
public:
  Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  virtual ~Cursor() = default;

  // Reads the next rows until `rows` wants no further one. False at the end of the result.
  virtual Task<bool> fetch(RowReader& rows) = 0;
};

// Runs statements. Its tasks borrow what they are called with. They throw SqlError, Cancelled if the awaiting coroutine
// is stopped, and Overloaded if there is no room to wait for a connection.
class Driver {
public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // The database, as OpenTelemetry names it: "postgresql", "sqlite".
  virtual std::string_view system() const noexcept = 0;
  // The number of rows that were changed. `rows` is not null for CallKind::Query.
  virtual Task<std::int64_t> run(const Call& call, RowReader* rows) = 0;
  // One after the other, all of them or none. At least one.
  virtual Task<> run_all(Steps steps) = 0;
  // Does nothing before the first fetch().
  virtual base::Box<Cursor> open(Call call) = 0;

protected:
  ~Driver() = default;
};

// One transaction. The destructor rolls back one that has not ended.
class TransactionDriver : public Driver {
public:
  virtual ~TransactionDriver() = default;

  // Throws if it could not be committed; then it is rolled back.
  virtual Task<> commit() = 0;
  virtual Task<> rollback() = 0;
  // It can only be rolled back from now on.
  virtual void fail() noexcept = 0;
};

}  // namespace tern::sql

namespace tern {

// Default is what the database is configured to; SQLite's transactions are always serializable.
enum class Isolation : std::uint8_t { Default, ReadCommitted, RepeatableRead, Serializable };

struct TransactionOptions {
  bool read_only = false;
  Isolation isolation = Isolation::Default;
  // How often the function is called again when the database has ended the transaction because of others
  // (Serialization, Deadlock), with a growing pause. It must change nothing but the database.
  unsigned retries = 0;
  // Of each statement, in place of the database's limit; zero: none.
  std::optional<Milliseconds> statement_timeout = {};
};

namespace sql {

// From any thread.
class DatabaseDriver : public Driver {
public:
  virtual Task<base::Box<TransactionDriver>> begin(TransactionOptions options) = 0;
  virtual Statistics statistics() const = 0;
  // What the transactions of migrations run first, so that one of several servers waits for the other; empty: nothing.
  virtual std::string_view migration_lock() const { return {}; }

protected:
  ~DatabaseDriver() = default;
};

}  // namespace sql
}  // namespace tern
