// How a pool gets its connections: one attempt at a time, with growing pauses after failures.
#include "postgres/connecting.hpp"
#include "postgres/error.hpp"
#include "postgres/pool.hpp"

#include <tern/coro/context.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace tern::postgres {

std::size_t LoopPool::open_connections() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(connections_, [](const auto& each) { return each->is_open(); }));
}

bool LoopPool::needs_connection() const noexcept {
  const std::size_t open = open_connections();
  return open < options_.max_connections && (waiting_ != 0 || open < options_.min_connections);
}

void LoopPool::grow() noexcept {
  if (connecting_ || !needs_connection()) return;
  connecting_ = true;
  try {
    connect_task_ = run_attempts();
    const auto ended = [](void* self) {
      auto* const pool = static_cast<LoopPool*>(self);
      pool->connecting_ = false;
      pool->schedule();
    };
    const coro::ContextScope own(nullptr);  // not that of the request that needs the connection
    if (connect_task_.start(ended, this)) connecting_ = false;
  } catch (const std::bad_alloc&) {
    connecting_ = false;  // the next statement tries again
  }
}

Task<> LoopPool::run_attempts() {
  while (needs_connection()) {
    std::string fault;
    try {
      fault = co_await attempt();
    } catch (const std::bad_alloc&) {
      fault = "no memory";  // short enough for no allocation
    } catch (const Overloaded&) {
      fault = "overloaded";  // the pool that resolves names
    }
    if (fault.empty()) {
      backoff_.reset();
      fault_ = nullptr;
      dispatch();
      continue;
    }
    fault_ = unavailable("PostgreSQL is not available: " + fault);
    if (open_connections() == 0 && options_.when_away == WhenAway::Fail) fail_waiting(fault_);
    co_await sleep_for(backoff_.next(options_.retry));
  }
  fault_ = nullptr;
}

// Returns when there is one more connection: empty. Otherwise, the fault of the last address.
Task<std::string> LoopPool::attempt() {
  Connection::Owner& owner = *this;
  std::unique_ptr<Connection> made;
  std::string fault = co_await connect_any(owner, options_, executor_, made);
  if (made) adopt(std::move(made));
  co_return fault;
}

void LoopPool::adopt(std::unique_ptr<Connection> connection) {
  const auto lifetime = static_cast<std::uint64_t>(options_.max_lifetime.count());
  connection->use.number = ++last_number_;
  connection->use.used_at = now();
  if (lifetime != 0) {  // not all at the same time
    std::uniform_int_distribution<std::uint64_t> jitter(0, lifetime / 10);
    connection->use.expires_at = now() + lifetime - jitter(backoff_.random());
  }
  connections_.push_back(std::move(connection));
  LoopStatistics::set(statistics_.connections, connections_.size());
  if (lost_ != 0) {
    --lost_;
    LoopStatistics::add(statistics_.reconnects);
  }
  schedule_timer(next_sweep_ = std::max(next_sweep_, now() + 1));
}

}  // namespace tern::postgres
