// with_timeout: limits the duration of an await.
#pragma once

#include <tern/coro/awaitable.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/executor.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace tern {

// Thrown by with_timeout() when the time is over.
class TimedOut : public std::exception {
public:
  const char* what() const noexcept override { return "timed out"; }
};

namespace coro {

// Stops `stop` after `limit`. Never without an executor.
class Deadline final : private Timer {
public:
  Deadline(StopState& stop, Milliseconds limit);
  ~Deadline();
  bool passed() const noexcept { return passed_; }

private:
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "with_timeout"}; }
  StopState& stop_;
  Executor* executor_;
  bool passed_ = false;
};

template <class T>
Task<T> within(Milliseconds limit, Task<T> task) {
  LinkedStop stop(co_await current_stop());
  Deadline deadline(stop, limit);
  task.inherit_stop(&stop);
  try {
    co_return co_await task;
  } catch (const Cancelled&) {
    if (deadline.passed() && !stop.outer_stopped()) throw TimedOut();
    throw;
  }
}

}  // namespace coro

// co_await tern::with_timeout(tern::Seconds(2), task): the result of `awaitable` within `limit` (and about 20 ms).
// After the limit, the awaitable is stopped; when it has ended with Cancelled, the await throws TimedOut, and nothing
// of it runs any longer. Work that does not end when it is stopped (a running offloaded function, uncancelled()) is
// awaited, and its result is returned although it is late.
template <coro::Awaitable A>
auto with_timeout(Milliseconds limit, A&& awaitable) {
  return coro::within(limit, coro::as_task(std::forward<A>(awaitable)));
}

}  // namespace tern
