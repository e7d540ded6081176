#include "postgres/transaction.hpp"

#include "postgres/connection.hpp"
#include "postgres/driver.hpp"

#include <tern/sql/error.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace tern::postgres {
namespace {

constexpr std::size_t batch_bytes = 64 * 1024;
constexpr unsigned first_rows = 16;  // of a result, until the size of its rows is known
constexpr unsigned max_rows = 128;

std::string begin_text(const TransactionOptions& options) {
  std::string text = "begin";
  switch (options.isolation) {
    case Isolation::Default: break;
    case Isolation::ReadCommitted: text += " isolation level read committed"; break;
    case Isolation::RepeatableRead: text += " isolation level repeatable read"; break;
    case Isolation::Serializable: text += " isolation level serializable"; break;
  }
  if (options.read_only) text += " read only";
  return text;
}

bool is_savepoint(std::string_view text) {
  return text.starts_with("savepoint tern_") || text.starts_with("release tern_") ||
         text.starts_with("rollback to tern_");
}

// Counts the bytes of rows.
class MeasuredRows final : public sql::RowReader {
public:
  explicit MeasuredRows(sql::RowReader& rows) noexcept : rows_(rows) {}
  void columns(std::span<const sql::Column> columns) override { rows_.columns(columns); }
  bool row(std::span<const sql::Column> columns, std::span<const sql::Value> values) override {
    ++count;
    for (const sql::Value& value : values) bytes += value.bytes.size() + sizeof(sql::Value) * (1 + value.items.size());
    return rows_.row(columns, values);
  }

  std::size_t count = 0;
  std::size_t bytes = 0;

private:
  sql::RowReader& rows_;
};

}  // namespace

Transaction::Turn::Turn(Transaction& transaction) : transaction_(transaction) {
  if (!std::exchange(transaction.busy_, true)) return;
  throw std::logic_error("a transaction runs one statement at a time; await the one before");
}

class TransactionCursor final : public sql::Cursor, private TransactionPart {
public:
  TransactionCursor(Transaction& transaction, sql::Call call) : transaction_(&transaction), call_(std::move(call)) {
    portal_.name = transaction.next_portal();
    portal_.max_rows = first_rows;
    transaction.add(*this);
  }
  ~TransactionCursor() override {
    if (transaction_ == nullptr) return;
    transaction_->remove(*this);
    detach();
  }

  Task<bool> fetch(sql::RowReader& rows) override {
    if (transaction_ == nullptr) {
      throw SqlError(SqlErrorKind::TransactionEnded, "the transaction of these rows has ended");
    }
    const Transaction::Turn turn(*transaction_);
    MeasuredRows measured(rows);
    portal_.suspended = false;
    StatementWait wait(transaction_->connection(), transaction_->driver().counters(), call_, &measured, &portal_);
    co_await wait;
    if (measured.count != 0) {
      const std::size_t size = std::max<std::size_t>(measured.bytes / measured.count, 1);
      portal_.max_rows = static_cast<unsigned>(std::clamp<std::size_t>(batch_bytes / size, 1, max_rows));
    }
    co_return portal_.suspended;
  }

  void detach() noexcept override {
    Prepared* const prepared = std::exchange(portal_.prepared, nullptr);
    Connection* const connection = std::exchange(transaction_, nullptr)->get();
    if (prepared != nullptr && connection != nullptr) connection->close_portal(portal_.name, *prepared);
  }

private:
  Transaction* transaction_;
  sql::Call call_;
  Portal portal_;
};

Task<> Transaction::begin() {
  lease_ = co_await driver_.lease();
  Connection& connection = lease_.connection();
  std::string text = begin_text(options_);
  if (options_.statement_timeout) {
    connection.limit(*options_.statement_timeout);
    text += "; set local statement_timeout = " + std::to_string(options_.statement_timeout->count());
  } else if (driver_.options().transaction_pooling) {
    text += "; set local statement_timeout = " + std::to_string(driver_.options().statement_timeout.count());
  }
  TextWait wait(connection, text);
  co_await wait;
}

Connection& Transaction::connection() const {
  Connection& connection = lease_.connection();
  if (connection.status() == 'I' && connection.outstanding() == 0) {
    throw SqlError(SqlErrorKind::TransactionEnded, "the transaction was ended by a statement of its own");
  }
  return connection;
}

Task<std::int64_t> Transaction::run(const sql::Call& call, sql::RowReader* rows) {
  const Turn turn(*this);
  Connection& used = connection();
  if (call.kind() != sql::CallKind::Script) {
    StatementWait wait(used, driver_.counters(), call, rows);
    co_return co_await wait;
  }
  if (!is_savepoint(call.text())) used.taint();
  TextWait wait(used, call.text());
  const TextResult result = co_await wait;
  connection();
  co_return result.changed;
}

Task<> Transaction::run_all(sql::Steps steps) {
  const Turn turn(*this);
  StatementWait wait(connection(), driver_.counters(), steps);
  co_await wait;
}

base::Box<sql::Cursor> Transaction::open(sql::Call call) {
  return base::Box<sql::Cursor>(new TransactionCursor(*this, std::move(call)));
}

void Transaction::end() noexcept {
  for (TransactionPart* part : std::exchange(parts_, {})) part->detach();
  lease_.release();
}

Task<> Transaction::commit() {
  const Turn turn(*this);
  Connection& used = connection();
  if (failed_) {
    throw SqlError(SqlErrorKind::TransactionEnded, "a savepoint of the transaction has failed: it is rolled back");
  }
  TextWait wait(used, "commit");
  const TextResult result = co_await wait;
  end();
  if (result.rolled_back) {
    throw SqlError(SqlErrorKind::TransactionEnded, "a statement of the transaction has failed: it is rolled back");
  }
}

// Not awaited where a statement still runs, which is cancelled: the pool does it before the connection is used again.
Task<> Transaction::rollback() {
  const Turn turn(*this);
  if (lease_ && lease_.connection().status() != 'I' && lease_.connection().outstanding() == 0) {
    TextWait wait(lease_.connection(), "rollback");
    co_await wait;
  }
  end();
}

}  // namespace tern::postgres
