// with_timeout: at most so long.
#pragma once

#include <tern/coro/awaitable.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/executor.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace tern {

// What with_timeout() ends with when the time was too short.
class TimedOut : public std::exception {
public:
  const char* what() const noexcept override { return "timed out"; }
};

namespace coro {

// Stops `stop` when the time has come. Without an executor, it never comes.
class Deadline final : private Timer {
public:
  Deadline(StopState& stop, Milliseconds limit);
  ~Deadline();
  bool passed() const noexcept { return passed_; }

private:
  void on_timer() noexcept override;
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
    if (deadline.passed() && !stop.stopped_from_outside()) throw TimedOut();
    throw;
  }
}

}  // namespace coro

// co_await tern::with_timeout(tern::Seconds(2), task): what `awaitable` has within `limit` (and some 20 ms). When the
// time has come, it is stopped, and when it has ended with Cancelled because of that, the await ends with TimedOut:
// nothing of it runs any longer by then. Work that does not end when it is stopped (an offloaded function that has
// begun, what is uncancelled()) is waited for, and what it has in the end counts, late as it is: a result that is there
// is never thrown away.
template <coro::Awaitable A>
auto with_timeout(Milliseconds limit, A&& awaitable) {
  return coro::within(limit, coro::as_task(std::forward<A>(awaitable)));
}

}  // namespace tern
