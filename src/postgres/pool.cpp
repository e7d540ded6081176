#include "postgres/pool.hpp"

#include "postgres/driver.hpp"
#include "postgres/error.hpp"

#include <tern/coro/context.hpp>
#include <tern/coro/offload.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace tern::postgres {
namespace {

constexpr std::uint64_t sweep_interval = 1000;  // milliseconds

// The first of a list, which stays in it.
template <class T>
T* front_of(coro::List<T>& list) noexcept {
  T* const first = list.pop();
  if (first == nullptr) return nullptr;
  coro::List<T> others;
  others.splice(list);
  list.push(*first);
  list.splice(others);
  return first;
}

std::uint64_t milliseconds(Milliseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

}  // namespace

LoopPool::LoopPool(PostgresDriver& driver, Executor& executor)
    : Attachment(&driver), driver_(driver), options_(driver.options()), executor_(executor) {}

LoopPool::~LoopPool() {
  executor_.timers().disarm(*this);
  connect_task_ = {};
  cancel_task_ = {};
  for (const auto& connection : connections_) {
    if (connection->use.lease != nullptr) connection->use.lease->forget();
    connection->close();
  }
  connections_.clear();
  driver_.remove(*this);
}

void LoopPool::end() noexcept {
  fail_waiting(unavailable("the last copy of the database was destroyed"));
  delete this;
}

// --- Statements and leases

void LoopPool::start(StatementWait& wait) {
  if (waiting_ == 0) {
    if (Connection* const connection = pick()) {
      statistics_.add_wait(0);
      connection->start(wait);
      return count(*connection);
    }
  }
  check_room();
  wait.since_ = now();
  statements_.push(wait);
  LoopStatistics::set(statistics_.waiting, ++waiting_);
  schedule_timer(wait.since_ + milliseconds(options_.max_wait));
  grow();
}

bool LoopPool::enter(LeaseWait& wait) {
  wait.since_ = now();
  if (waiting_ == 0) {
    if (Connection* const connection = pick_idle()) {
      statistics_.add_wait(0);
      connection->use.leased = true;
      count(*connection);
      wait.give(Lease(*this, *connection));
      return false;
    }
  }
  check_room();
  leases_.push(wait);
  LoopStatistics::set(statistics_.waiting, ++waiting_);
  schedule_timer(wait.since_ + milliseconds(options_.max_wait));
  schedule();
  return true;
}

void LoopPool::forget_waiting() noexcept {
  LoopStatistics::set(statistics_.waiting, --waiting_);
}

void LoopPool::check_room() {
  if (fault_ && open_connections() == 0 && options_.when_away == WhenAway::Fail) std::rethrow_exception(fault_);
  if (waiting_ < options_.max_waiting) return;
  LoopStatistics::add(statistics_.refused);
  throw Overloaded();
}

// What the lease has left is undone before the connection is used again.
void LoopPool::give_back(Connection& connection) noexcept {
  connection.use.lease = nullptr;
  if (connection.is_open()) {
    try {
      if (connection.status() != 'I' || connection.outstanding() != 0) connection.send_text("rollback", nullptr);
      settle(connection);
    } catch (const std::bad_alloc&) {
      connection.lose("no memory");
    }
  }
  count(connection);
  schedule();
}

void LoopPool::settle(Connection& connection) noexcept {
  if (connection.outstanding() != 0 || connection.is_suspect()) return;
  if (connection.status() != 'I') return connection.lose("a transaction could not be rolled back");
  if (connection.is_tainted()) {
    try {
      connection.clean();
    } catch (const std::bad_alloc&) {
      return connection.lose("no memory");
    }
  }
  connection.limit(options_.statement_timeout);
  connection.use.leased = false;
}

bool LoopPool::has_room(const Connection& connection) const noexcept {
  return connection.is_open() && !connection.use.leased && !connection.use.reserved && !connection.is_suspect() &&
         connection.outstanding() < options_.max_pipelined && !connection.is_slow(now());
}

bool LoopPool::is_idle(const Connection& connection) const noexcept {
  return connection.is_open() && !connection.use.leased && !connection.is_suspect() && connection.outstanding() == 0;
}

Connection* LoopPool::pick() noexcept {
  const auto found = std::ranges::find_if(connections_, [&](const auto& each) { return has_room(*each); });
  return found == connections_.end() ? nullptr : found->get();
}

// The last: the first is where statements are.
Connection* LoopPool::pick_idle() noexcept {
  for (auto each = connections_.rbegin(); each != connections_.rend(); ++each) {
    if (is_idle(**each)) return each->get();
  }
  return nullptr;
}

// --- Those who wait

void LoopPool::dispatch() {
  while (waiting_ != 0) {
    const StatementWait* const statement = front_of(statements_);
    const LeaseWait* const lease = front_of(leases_);
    const bool lease_first = statement == nullptr || (lease != nullptr && lease->since_ <= statement->since_);
    if (lease_first ? dispatch_lease() : dispatch_statement()) continue;
    if (lease_first) reserve();
    if (lease_first ? statement == nullptr || !dispatch_statement() : lease == nullptr || !dispatch_lease()) break;
  }
  if (!leases_.empty()) return;
  for (const auto& connection : connections_) connection->use.reserved = false;
}

bool LoopPool::dispatch_statement() {
  Connection* const connection = pick();
  if (connection == nullptr) return false;
  StatementWait& wait = *statements_.pop();
  forget_waiting();
  statistics_.add_wait(now() - wait.since_);
  try {
    connection->start(wait);
  } catch (...) {
    wait.fail(std::current_exception());
  }
  count(*connection);
  return true;
}

bool LoopPool::dispatch_lease() {
  Connection* const connection = pick_idle();
  if (connection == nullptr) return false;
  LeaseWait& wait = *leases_.pop();
  forget_waiting();
  statistics_.add_wait(now() - wait.since_);
  connection->use.leased = true;
  connection->use.reserved = false;
  count(*connection);
  wait.give(Lease(*this, *connection));
  return true;
}

// Where no connection can be added, one that statements share gets no further ones.
void LoopPool::reserve() noexcept {
  if (connections_.size() < options_.max_connections && !fault_) return;
  Connection* best = nullptr;
  for (const auto& each : connections_) {
    if (each->use.reserved) return;
    if (!each->is_open() || each->use.leased) continue;
    if (best == nullptr || each->outstanding() < best->outstanding()) best = each.get();
  }
  if (best != nullptr) best->use.reserved = true;
}

void LoopPool::fail_waiting(const std::exception_ptr& error) noexcept {
  while (StatementWait* wait = statements_.pop()) {
    forget_waiting();
    wait->connection_ = nullptr;
    wait->fail(error);
  }
  while (LeaseWait* wait = leases_.pop()) {
    forget_waiting();
    wait->fail(error);
  }
}

void LoopPool::expire(std::uint64_t now) noexcept {
  const std::uint64_t longest = milliseconds(options_.max_wait);
  std::exception_ptr error = fault_;
  if (!error) error = std::make_exception_ptr(Overloaded());
  const auto expired = [&](const auto* wait) {
    if (wait == nullptr) return false;
    if (wait->since_ + longest > now) return schedule_timer(wait->since_ + longest), false;
    forget_waiting();
    LoopStatistics::add(statistics_.refused);
    return true;
  };
  while (expired(front_of(statements_))) statements_.pop()->fail(error);
  while (expired(front_of(leases_))) leases_.pop()->fail(error);
}

// --- Events

void LoopPool::on_progress(Connection& connection) noexcept {
  if (connection.outstanding() == 0) {
    connection.use.used_at = now();
    if (connection.use.leased && connection.use.lease == nullptr) settle(connection);
    count(connection);
  }
  if (waiting_ != 0) schedule();
}

void LoopPool::on_lost(Connection& connection, const std::exception_ptr&) noexcept {
  ++lost_;
  if (connection.use.lease == nullptr) connection.use.leased = false;
  count(connection);
  schedule();
}

void LoopPool::count(Connection& connection) noexcept {
  const bool used = connection.is_open() && (connection.use.leased || connection.outstanding() != 0);
  if (used == std::exchange(connection.use.counted, used)) return;
  LoopStatistics::add(statistics_.in_use, used ? 1 : std::uint64_t(-1));
}

void LoopPool::schedule() noexcept {
  if (!scheduled()) executor_.schedule(*this);
}

void LoopPool::on_turn() noexcept {
  remove_ended();
  dispatch();
  grow();
}

void LoopPool::remove_ended() noexcept {
  std::erase_if(connections_, [](const auto& each) { return !each->is_open() && each->use.lease == nullptr; });
  LoopStatistics::set(statistics_.connections, connections_.size());
}

void LoopPool::schedule_timer(std::uint64_t due) noexcept {
  if (armed() && timer_due_ <= due) return;
  timer_due_ = due;
  executor_.timers().arm(*this, Milliseconds(static_cast<std::int64_t>(due > now() ? due - now() : 0)));
}

void LoopPool::on_timer() noexcept {
  const std::uint64_t time = now();
  expire(time);
  if (time >= next_sweep_) {
    next_sweep_ = time + sweep_interval;
    sweep(time);
  }
  if (!connections_.empty()) schedule_timer(next_sweep_);
  schedule();
}

// Closes what is too old or not needed, and asks idle connections whether they work.
void LoopPool::sweep(std::uint64_t now) noexcept {
  std::size_t open = open_connections();
  for (const auto& connection : connections_) {
    if (!is_idle(*connection)) continue;
    const std::uint64_t idle = now - connection->use.used_at;
    const bool surplus = open > options_.min_connections && idle >= milliseconds(options_.idle_timeout);
    if (surplus || (connection->use.expires_at != 0 && connection->use.expires_at <= now)) {
      connection->close();
      --open;
    } else if (idle >= milliseconds(options_.check_interval)) {
      try {
        connection->check();
      } catch (const std::bad_alloc&) {
        connection->lose("no memory");
      }
    }
  }
}

// --- Cancel requests

void LoopPool::cancel(Connection& connection) noexcept {
  try {
    cancels_.push_back({connection.session().cancel_handle(), connection.use.number});
    if (std::exchange(cancelling_, true)) return;
    cancel_task_ = run_cancels();
    const auto ended = [](void* self) { static_cast<LoopPool*>(self)->cancelling_ = false; };
    const coro::ContextScope own(nullptr);
    if (cancel_task_.start(ended, this)) cancelling_ = false;
  } catch (const std::bad_alloc&) {
    connection.cancelled();  // the database's own timeout ends it
  }
}

// One after the other, so that they occupy one thread of the pool, however long the database takes.
Task<> LoopPool::run_cancels() {
  while (!cancels_.empty()) {
    const CancelJob job = std::move(cancels_.front());
    cancels_.pop_front();
    const auto request = [&job] { send_cancel(job.handle); };
    try {
      co_await offload(Priority::High, request);
    } catch (const Overloaded&) {
      // The database's own timeout ends the statement.
    }
    for (const auto& connection : connections_) {
      if (connection->use.number == job.connection) connection->cancelled();
    }
  }
}

}  // namespace tern::postgres
