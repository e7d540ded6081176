#include "sqlite/transaction.hpp"

#include <tern/coro/awaitable.hpp>
#include <tern/coro/offload.hpp>
#include <tern/sql/error.hpp>

#include <algorithm>
#include <stdexcept>

namespace tern::sqlite {

// The connection is used by one statement at a time.
class Transaction::Turn {
public:
  explicit Turn(Transaction& transaction) : transaction_(transaction) {
    if (std::exchange(transaction.busy_, true)) {
      throw std::logic_error("a transaction runs one statement at a time; await the one before");
    }
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { transaction_.busy_ = false; }

private:
  Transaction& transaction_;
};

class TransactionCursor final : public sql::Cursor {
public:
  TransactionCursor(Transaction& transaction, sql::Call call) : transaction_(&transaction), call_(std::move(call)) {
    transaction.cursors_.push_back(this);
  }
  ~TransactionCursor() override {
    if (transaction_ == nullptr) return;
    std::erase(transaction_->cursors_, this);
    close();
  }

  Task<bool> fetch(sql::RowReader& rows) override {
    if (transaction_ == nullptr)
      throw SqlError(SqlErrorKind::TransactionEnded, "the transaction of these rows has ended");
    const Limits limits = transaction_->limits(co_await current_stop());
    const Transaction::Turn turn(*transaction_);
    transaction_->expect_open();
    bool more = false;
    const auto read = [&] {
      failed_ = true;  // unless it returns
      Connection& connection = transaction_->lease_.connection();
      if (!statement_) statement_ = connection.take(call_);
      more = connection.read(statement_.get(), rows, began_, limits);
      failed_ = false;
    };
    const auto job = [&] { transaction_->driver_.counters().count_failure(read); };
    co_await offload(job);
    co_return more;
  }

  // The transaction ends.
  void detach() noexcept {
    close();
    transaction_ = nullptr;
  }

private:
  void close() noexcept {
    if (!statement_) return;
    transaction_->lease_.connection().put_back(call_.text(), std::move(statement_));
    if (!failed_) transaction_->driver_.counters().count_success();
  }

  Transaction* transaction_;
  sql::Call call_;
  Statement statement_;
  bool began_ = false;
  bool failed_ = false;
};

// In a frame that is destroyed while it waits; to undo what is not committed takes little time.
Transaction::~Transaction() {
  end();
}

void Transaction::end() noexcept {
  for (TransactionCursor* cursor : std::exchange(cursors_, {})) cursor->detach();
  if (lease_ && began_) lease_.connection().rollback();
  lease_.release();
}

Task<> Transaction::begin() {
  const Limits limits = this->limits(co_await current_stop());
  const auto job = [&] {
    lease_.connection().execute(options_.read_only ? "begin" : "begin immediate", limits);
    began_ = true;
  };
  co_await offload(job);
}

Limits Transaction::limits(StopToken stop) const noexcept {
  Limits limits = driver_.limits(stop);
  limits.timeout = options_.statement_timeout.value_or(limits.timeout);
  return limits;
}

void Transaction::expect_open() const {
  if (began_ && lease_ && lease_.connection().in_transaction()) return;
  throw SqlError(SqlErrorKind::TransactionEnded, "the transaction has ended, by an error or a statement of its own");
}

Task<std::int64_t> Transaction::run(const sql::Call& call, sql::RowReader* rows) {
  const Limits limits = this->limits(co_await current_stop());
  const Turn turn(*this);
  expect_open();
  std::int64_t changed = 0;
  const auto run = [&] { changed = run_now(call, rows, limits); };
  const auto job = [&] { driver_.counters().count(run); };
  co_await offload(job);
  expect_open();
  co_return changed;
}

std::int64_t Transaction::run_now(const sql::Call& call, sql::RowReader* rows, const Limits& limits) {
  const auto changed = lease_.connection().run(call, rows, limits, options_.read_only);
  if (!changed) throw SqlError(SqlErrorKind::ReadOnly, "the statement writes in a transaction that is read only");
  return *changed;
}

// If one fails, the transaction is as it was before.
Task<> Transaction::run_all(sql::Steps steps) {
  const Limits limits = this->limits(co_await current_stop());
  const Turn turn(*this);
  expect_open();
  const auto run = [&] {
    lease_.connection().execute("savepoint tern_batch", limits);
    try {
      for (const auto& step : steps) {
        step->changed = run_now(step->call, step->rows, limits);
        expect_open();
      }
    } catch (...) {
      if (lease_.connection().in_transaction())
        lease_.connection().execute("rollback to tern_batch; release tern_batch", {});
      throw;
    }
    lease_.connection().execute("release tern_batch", limits);
  };
  const auto job = [&] { driver_.counters().count(run); };
  co_await offload(job);
}

base::Box<sql::Cursor> Transaction::open(sql::Call call) {
  return base::Box<sql::Cursor>(new TransactionCursor(*this, std::move(call)));
}

Task<> Transaction::commit() {
  const Turn turn(*this);
  expect_open();
  if (failed_) {
    throw SqlError(SqlErrorKind::TransactionEnded, "a savepoint of the transaction has failed: it is rolled back");
  }
  for (TransactionCursor* cursor : std::exchange(cursors_, {})) cursor->detach();
  const Limits limits = this->limits({});
  const auto job = [&] {
    const Lease held = std::move(lease_);
    try {
      held.connection().execute("commit", limits);
    } catch (...) {
      held.connection().rollback();
      throw;
    }
  };
  co_await offload(job);
}

Task<> Transaction::rollback() {
  const Turn turn(*this);
  const auto job = [&] { end(); };
  co_await offload(job);
}

}  // namespace tern::sqlite
