// sleep_for and yield: waiting for time to pass, and for the others.
#pragma once

#include <tern/coro/waiter.hpp>

namespace tern {
namespace coro {

class SleepWait final : public Waiter, private Timer {
public:
  explicit SleepWait(Milliseconds delay) noexcept : delay_(delay) {}
  ~SleepWait();
  void await_resume() const { check(); }

private:
  bool ready() noexcept override { return false; }
  bool enter() noexcept override;
  bool leave() noexcept override;
  void on_timer() noexcept override { resume(); }
  Milliseconds delay_;
};

struct [[nodiscard]] Sleep {
  SleepWait operator co_await() const noexcept { return SleepWait(delay); }
  Milliseconds delay;
};

}  // namespace coro

// co_await tern::sleep_for(tern::Seconds(1)): goes on when the time has passed, at most some 20 ms late; ends with
// Cancelled when the coroutine is stopped before. Holds up nobody. Not longer than zero: yields.
inline coro::Sleep sleep_for(Milliseconds delay) noexcept {
  return {delay};
}

// co_await tern::yield(): lets everything else that is ready on this loop go first, and ends with Cancelled when the
// coroutine was stopped. For long computations that are not worth a thread.
inline coro::Sleep yield() noexcept {
  return {Milliseconds(0)};
}

}  // namespace tern
