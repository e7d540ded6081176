// How a pool gets its connections: one attempt at a time, with growing pauses after failures.
#include "postgres/driver.hpp"
#include "postgres/error.hpp"
#include "postgres/pool.hpp"

#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace tern::postgres {
namespace {

constexpr std::int64_t initial_backoff = 50;  // milliseconds
constexpr unsigned max_backoff_doublings = 16;

}  // namespace

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
      failures_ = 0;
      fault_ = nullptr;
      dispatch();
      continue;
    }
    fault_ = unavailable("PostgreSQL is not available: " + fault);
    if (open_connections() == 0 && options_.when_away == WhenAway::Fail) fail_waiting(fault_);
    co_await sleep_for(next_backoff());
  }
  fault_ = nullptr;
}

// Returns when there is one more connection: empty. Otherwise, the fault of the last address.
Task<std::string> LoopPool::attempt() {
  const auto look_up = [this] { return resolve(options_.url); };
  const std::expected<Destination, std::string> destination = co_await offload(look_up);
  if (!destination) co_return destination.error();
  const bool has_limit = destination->connect_timeout.count() != 0;
  const Milliseconds limit = has_limit ? destination->connect_timeout : options_.connect_timeout;
  std::string fault;
  for (const std::string& attributes : destination->session_attributes) {
    for (const Endpoint& endpoint : destination->endpoints) {
      Connection::Owner& owner = *this;
      auto connection = std::make_unique<Connection>(owner, options_, executor_);
      try {
        fault = co_await with_timeout(limit, connection->open(destination->parameters, endpoint, attributes));
      } catch (const TimedOut&) {
        fault = endpoint.name() + ": no answer for " + format_duration(static_cast<std::uint64_t>(limit.count()));
      }
      if (fault.empty()) {
        adopt(std::move(connection));
        co_return fault;
      }
    }
  }
  co_return fault;
}

void LoopPool::adopt(std::unique_ptr<Connection> connection) {
  const auto lifetime = static_cast<std::uint64_t>(options_.max_lifetime.count());
  connection->use.number = ++last_number_;
  connection->use.used_at = now();
  if (lifetime != 0) {  // not all at the same time
    std::uniform_int_distribution<std::uint64_t> jitter(0, lifetime / 10);
    connection->use.expires_at = now() + lifetime - jitter(random_);
  }
  connections_.push_back(std::move(connection));
  LoopStatistics::set(statistics_.connections, connections_.size());
  if (lost_ != 0) {
    --lost_;
    LoopStatistics::add(statistics_.reconnects);
  }
  schedule_timer(next_sweep_ = std::max(next_sweep_, now() + 1));
}

// Doubles with each failure, with jitter, so that loops and servers do not connect at the same time.
Milliseconds LoopPool::next_backoff() {
  const std::int64_t pause =
      std::min(initial_backoff << std::min(failures_++, max_backoff_doublings), options_.retry.count());
  std::uniform_int_distribution<std::int64_t> jitter(pause / 2, pause);
  return Milliseconds(jitter(random_));
}

}  // namespace tern::postgres
