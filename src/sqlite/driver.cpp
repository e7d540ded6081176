#include "sqlite/driver.hpp"

#include "sqlite/transaction.hpp"

#include <tern/base/ascii.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/coro/offload.hpp>
#include <tern/sql/error.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace tern::sqlite {
namespace {

bool is_in_memory(std::string_view path) {
  return path.empty() || path == ":memory:";
}

bool begins_with(const sql::Call& call, std::initializer_list<std::string_view> words) {
  std::string_view text = call.text();
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n("), text.size()));
  const auto end = std::ranges::find_if_not(text, [](char c) { return base::is_alpha(c); });
  const std::string_view word(text.begin(), end);
  return std::ranges::any_of(words, [&](std::string_view each) { return base::equals_ignoring_case(word, each); });
}

// Whether a statement probably reads only. If it does not, the reader's connection says so.
bool seems_to_read(const sql::Call& call) {
  return call.kind() == sql::CallKind::Query && begins_with(call, {"select", "with", "values", "explain"});
}

// Whether it reads only for certain.
bool reads(const sql::Call& call) {
  return call.kind() == sql::CallKind::Query && begins_with(call, {"select", "values"});
}

// Reads from a connection of its own, which it has from the first fetch() to the end.
class DatabaseCursor final : public sql::Cursor {
public:
  DatabaseCursor(SqliteDriver& driver, sql::Call call) : driver_(driver), call_(std::move(call)) {}
  ~DatabaseCursor() override { close(); }

  Task<bool> fetch(sql::RowReader& rows) override {
    const Limits limits = driver_.limits(co_await current_stop());
    if (!lease_) lease_ = co_await driver_.readers().lease();
    bool more = false;
    const auto read = [&] {
      failed_ = true;  // unless it returns
      Connection& connection = lease_.connection();
      if (!statement_) statement_ = connection.take(call_);
      more = connection.read(statement_.get(), rows, began_, limits);
      failed_ = false;
    };
    const auto job = [&] {
      driver_.counters().count_failure(read);
      if (!more) close();
    };
    co_await offload(job);
    co_return more;
  }

private:
  void close() noexcept {
    if (statement_) {
      lease_.connection().put_back(call_.text(), std::move(statement_));
      if (!failed_) driver_.counters().count_success();
    }
    lease_.release();
  }

  SqliteDriver& driver_;
  sql::Call call_;
  Lease lease_;
  Statement statement_;
  bool began_ = false;
  bool failed_ = false;
};

}  // namespace

SqliteDriver::SqliteDriver(SqliteOptions options)
    : options_(std::move(options)),
      in_memory_(is_in_memory(options_.path)),
      writer_(options_, Connection::Use::Write, 1),
      readers_(options_, Connection::Use::Read, std::max(options_.readers, 1U)) {
  if (in_memory_) options_.path = ":memory:";
}

Task<std::int64_t> SqliteDriver::run(const sql::Call& call, sql::RowReader* rows) {
  const Limits limits = this->limits(co_await current_stop());
  if (seems_to_read(call)) {
    const auto changed = co_await run_on(readers(), call, rows, limits);
    if (changed) co_return *changed;
  }
  co_return *co_await run_on(writer_, call, rows, limits);
}

// Unset if the statement writes, and the slots are for readers.
Task<std::optional<std::int64_t>> SqliteDriver::run_on(Slots& slots, const sql::Call& call, sql::RowReader* rows,
                                                       const Limits& limits) {
  std::optional<std::int64_t> changed;
  SlotCall slot_call(slots);
  const auto job = [&] {
    const SlotCall::Use use(slot_call);
    Connection& connection = use.connection();
    try {
      counters_.count_failure([&] { changed = connection.run(call, rows, limits); });
      if (changed) counters_.count_success();
    } catch (...) {
      if (!use.in_batch()) connection.rollback();
      throw;
    }
    if (use.in_batch() || !connection.in_transaction()) return;
    connection.rollback();
    throw SqlError(SqlErrorKind::Statement, "a transaction begins with transaction(), not with a statement");
  };
  try {
    co_await slot_call.run(job);
  } catch (const Cancelled&) {
    if (slot_call.refused()) throw Overloaded();
    throw;
  }
  co_return changed;
}

// In one transaction, by one job of the pool.
Task<> SqliteDriver::run_all(sql::Steps steps) {
  const Limits limits = this->limits(co_await current_stop());
  const bool reading = std::ranges::all_of(steps, [](const auto& step) { return reads(step->call); });
  SlotCall slot_call(reading ? readers() : writer_);
  const auto job = [&] {
    const SlotCall::Use use(slot_call);
    Connection& connection = use.connection();
    const bool alone = !use.in_batch();  // otherwise it is in a transaction that reads
    const auto run = [&] {
      if (alone) connection.execute(reading ? "begin" : "begin immediate", limits);
      for (const auto& step : steps) {
        step->changed = connection.run(step->call, step->rows, limits).value_or(0);
        if (connection.in_transaction()) continue;
        throw SqlError(SqlErrorKind::TransactionEnded, "the batch has ended, by an error or a statement of its own");
      }
      if (alone) connection.execute("commit", limits);
    };
    try {
      counters_.count(run);
    } catch (...) {
      if (alone) connection.rollback();
      throw;
    }
  };
  try {
    co_await slot_call.run(job);
  } catch (const Cancelled&) {
    if (slot_call.refused()) throw Overloaded();
    throw;
  }
}

base::Box<sql::Cursor> SqliteDriver::open(sql::Call call) {
  return base::Box<sql::Cursor>(new DatabaseCursor(*this, std::move(call)));
}

Task<base::Box<sql::TransactionDriver>> SqliteDriver::begin(TransactionOptions options) {
  Lease lease = co_await (options.read_only ? readers() : writer_).lease();
  auto* const transaction = new Transaction(*this, std::move(lease), options);
  base::Box<sql::TransactionDriver> owner(transaction);
  co_await transaction->begin();
  co_return owner;
}

sql::Statistics SqliteDriver::statistics() const {
  sql::Statistics statistics;
  counters_.read(statistics);
  writer_.read(statistics);
  readers_.read(statistics);
  return statistics;
}

Task<> SqliteDriver::backup(std::string path) {
  const Limits limits = this->limits(co_await current_stop());
  Lease lease = co_await readers().lease();
  const auto job = [&] {
    const Lease held = std::move(lease);
    held.connection().backup(path, limits);
  };
  co_await offload(job);
}

}  // namespace tern::sqlite

namespace tern {

Sqlite::Sqlite(SqliteOptions options) {
  auto driver = std::make_unique<sqlite::SqliteDriver>(std::move(options));
  driver->open();
  driver_ = driver.release();
}

Sqlite::Sqlite(const Sqlite& other) noexcept : sql::Database(other), driver_(other.driver_) {
  driver_->retain();
}

Sqlite& Sqlite::operator=(const Sqlite& other) noexcept {
  other.driver_->retain();
  driver_->release();
  driver_ = other.driver_;
  return *this;
}

Sqlite::~Sqlite() {
  driver_->release();
}

Task<> Sqlite::backup(std::string path) const {
  return driver_->backup(std::move(path));
}

sql::DatabaseDriver& Sqlite::database() const {
  return *driver_;
}

}  // namespace tern
