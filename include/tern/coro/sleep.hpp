// sleep_for and yield: waiting for a duration, and for other ready work.
#pragma once

#include <tern/coro/waiter.hpp>

namespace tern {
namespace coro {

class SleepWait : public Waiter, private Timer {
public:
  explicit SleepWait(Milliseconds delay) noexcept : delay_(delay) {}
  ~SleepWait();
  void await_resume() const { check(); }

private:
  const char* what() const noexcept override { return "timer"; }
  bool ready() noexcept override { return false; }
  bool enter() noexcept override;
  bool leave() noexcept override;
  void on_timer() noexcept final { resume(); }
  TimerPurpose purpose() const noexcept override {
    return {.what = "sleep", .waiting = {waiting(), waiting_is_task()}};
  }
  Milliseconds delay_;
};

struct [[nodiscard]] Sleep {
  SleepWait operator co_await() const noexcept { return SleepWait(delay); }
  Milliseconds delay;
};

}  // namespace coro

// co_await tern::sleep_for(tern::Seconds(1)): resumes after the delay and up to about 20 ms later; throws Cancelled if
// the coroutine is stopped. Does not block the thread. Yields for a delay of at most zero.
inline coro::Sleep sleep_for(Milliseconds delay) noexcept {
  return {delay};
}

// co_await tern::yield(): lets other ready work of this loop run first; throws Cancelled if the coroutine was stopped.
// For long computations that are too short for a thread.
inline coro::Sleep yield() noexcept {
  return {Milliseconds(0)};
}

}  // namespace tern
