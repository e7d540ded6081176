#include "postgres/driver.hpp"

#include "postgres/transaction.hpp"

#include <tern/coro/sleep.hpp>
#include <tern/sql/error.hpp>

#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace tern {
namespace postgres {
namespace {

constexpr Milliseconds connect_pause{100};

void check_options(const PostgresOptions& options) {
  const auto refuse = [](const char* why) { throw std::invalid_argument(std::string("PostgreSQL: ") + why); };
  check_url(options.url);
  if (options.max_connections == 0) refuse("max_connections is at least 1");
  if (options.min_connections > options.max_connections) refuse("min_connections is larger than max_connections");
  if (options.max_pipelined == 0) refuse("max_pipelined is at least 1");
  if (options.connect_timeout.count() <= 0 || options.max_wait.count() <= 0 || options.retry.count() <= 0) {
    refuse("connect_timeout, max_wait and retry are longer than zero");
  }
  if (options.statement_timeout.count() < 0) refuse("statement_timeout is not negative");
}

// Reads in a transaction of its own, which it has from the first fetch() to the end.
class DatabaseCursor final : public sql::Cursor {
public:
  DatabaseCursor(PostgresDriver& driver, sql::Call call) : driver_(driver), call_(std::move(call)) {}

  Task<bool> fetch(sql::RowReader& rows) override {
    if (!cursor_) {
      transaction_ = co_await driver_.begin({});
      cursor_ = transaction_->open(std::move(call_));
    }
    const bool more = co_await cursor_->fetch(rows);
    if (!more) {
      cursor_.reset();
      co_await transaction_->commit();
    }
    co_return more;
  }

private:
  PostgresDriver& driver_;
  sql::Call call_;
  base::Box<sql::TransactionDriver> transaction_;
  base::Box<sql::Cursor> cursor_;  // destroyed first
};

}  // namespace

PostgresDriver::PostgresDriver(PostgresOptions options) : options_(std::move(options)) {
  check_options(options_);
}

Task<std::int64_t> PostgresDriver::run(const sql::Call& call, sql::RowReader* rows) {
  if (call.kind() == sql::CallKind::Script) return run_script(call.text());
  const auto statement = [](PostgresDriver& driver, const sql::Call& one,
                            sql::RowReader* reader) -> Task<std::int64_t> {
    StatementWait wait(driver.of_this_loop(), driver.counters_, one, reader);
    co_return co_await wait;
  };
  return statement(*this, call, rows);
}

Task<> PostgresDriver::run_all(sql::Steps steps) {
  StatementWait wait(of_this_loop(), counters_, steps);
  co_await wait;
}

Task<std::int64_t> PostgresDriver::run_script(std::string_view text) {
  const Lease held = co_await lease();
  Connection& connection = held.connection();
  connection.taint();
  TextWait wait(connection, text);
  const TextResult result = co_await wait;
  if (connection.status() != 'I') {
    throw SqlError(SqlErrorKind::Statement, "a script that begins a transaction ends it");
  }
  co_return result.changed;
}

base::Box<sql::Cursor> PostgresDriver::open(sql::Call call) {
  return base::Box<sql::Cursor>(new DatabaseCursor(*this, std::move(call)));
}

Task<base::Box<sql::TransactionDriver>> PostgresDriver::begin(TransactionOptions options) {
  auto* const transaction = new Transaction(*this, options);
  base::Box<sql::TransactionDriver> owner(transaction);
  co_await transaction->begin();
  co_return owner;
}

Task<Lease> PostgresDriver::lease() {
  LeaseWait wait(of_this_loop());
  co_return co_await wait;
}

// The key has no meaning but to be Tern's.
std::string_view PostgresDriver::migration_lock() const {
  return "select pg_advisory_xact_lock(7307203101128)";
}

Task<> PostgresDriver::connect(Milliseconds limit) {
  const Timers& timers = of_this_loop().executor().timers();
  const std::uint64_t end = timers.now() + static_cast<std::uint64_t>(limit.count());
  while (true) {
    std::exception_ptr error;
    try {
      const Lease held = co_await lease();
      co_return;
    } catch (const SqlError&) {
      error = std::current_exception();
    } catch (const Overloaded&) {
      error = std::current_exception();
    }
    if (timers.now() >= end) std::rethrow_exception(error);
    co_await sleep_for(connect_pause);
  }
}

sql::Statistics PostgresDriver::statistics() const {
  const std::lock_guard lock(mutex_);
  sql::Statistics statistics = ended_;
  counters_.read(statistics);
  for (const LoopPool* loop : loops_) loop->statistics().read(statistics);
  return statistics;
}

void PostgresDriver::release() noexcept {
  if (handles_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  end_loops();
  leave();
}

void PostgresDriver::leave() noexcept {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

// The mutex keeps the executors: the end of one waits for it in remove().
void PostgresDriver::end_loops() noexcept {
  const std::lock_guard lock(mutex_);
  for (const LoopPool* loop : loops_) {
    Executor& executor = loop->executor();
    try {
      executor.post([this, &executor] {
        if (Attachment* found = executor.attached(this)) static_cast<LoopPool*>(found)->end();
      });
    } catch (const std::bad_alloc&) {  // then it ends with its executor
    }
  }
}

LoopPool& PostgresDriver::of_this_loop() {
  Executor* const executor = Executor::current();
  if (executor == nullptr) throw std::logic_error("PostgreSQL is used by coroutines on a loop");
  if (Attachment* found = executor->attached(this)) return static_cast<LoopPool&>(*found);
  auto made = std::make_unique<LoopPool>(*this, *executor);
  {
    const std::lock_guard lock(mutex_);
    loops_.push_back(made.get());
  }
  owners_.fetch_add(1, std::memory_order_relaxed);
  executor->attach(*made);
  return *made.release();
}

void PostgresDriver::remove(LoopPool& ended) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(loops_, &ended) == 0) return;  // it was not complete
    ended.statistics().read(ended_);
    ended_.connections = ended_.in_use = ended_.waiting = 0;
  }
  leave();
}

}  // namespace postgres

Postgres::Postgres(PostgresOptions options) : driver_(new postgres::PostgresDriver(std::move(options))) {}

Postgres::Postgres(std::string url)
    : Postgres([&url] {
        PostgresOptions options;
        options.url = std::move(url);
        return options;
      }()) {}

Postgres::Postgres(const Postgres& other) noexcept : sql::Database(other), driver_(other.driver_) {
  driver_->retain();
}

Postgres& Postgres::operator=(const Postgres& other) noexcept {
  other.driver_->retain();
  driver_->release();
  driver_ = other.driver_;
  return *this;
}

Postgres::~Postgres() {
  driver_->release();
}

Task<> Postgres::connect(Milliseconds limit) const {
  return driver_->connect(limit);
}

Task<> Postgres::notify(std::string channel, std::string payload) const {
  co_await execute("select pg_notify($1, $2)", channel, payload);
}

sql::DatabaseDriver& Postgres::database() const {
  return *driver_;
}

postgres::Transaction& Postgres::mine(sql::Transaction& transaction) const {
  auto* const found = dynamic_cast<postgres::Transaction*>(&transaction.transaction_driver());
  if (found != nullptr && &found->driver() == driver_) return *found;
  throw std::invalid_argument("a COPY in a transaction of another database");
}

}  // namespace tern
