// Waiter: the common part of everything that a coroutine waits for.
//
// The life of a wait: await_suspend() looks whether the coroutine was stopped (then the await ends with Cancelled at
// once, whatever it would have waited for), then whether there is nothing to wait for; otherwise it takes its place
// with what it waits for and watches the stop state. Whichever comes first, the event or the stop, takes it out of its
// place and gives it a turn on the executor, where the coroutine is resumed. What came first stands: a value that was
// handed over is not lost by a stop that follows. When the frame is destroyed instead, the wait unregisters itself.
#pragma once

#include <tern/coro/cancelled.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>

#include <coroutine>
#include <cstdint>

namespace tern::coro {

class Waiter : protected Turn, private StopCallback {
public:
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
    return wait(waiting, stop_of(waiting));
  }

protected:
  Waiter() noexcept = default;
  ~Waiter() = default;  // of what waits still: the derived class leaves its place

  // Whether there is nothing to wait for; then the result is there.
  virtual bool ready() noexcept = 0;
  // Takes its place; false when there is nothing to wait for after all.
  virtual bool enter() noexcept = 0;
  // Gives its place up because of a stop; false when it is too late for that, and the wait goes on to its end.
  virtual bool leave() noexcept = 0;

  // What was waited for has happened, and the place is left: the coroutine goes on at its turn.
  void wake() noexcept;
  // The same at once; only straight from the executor's loop.
  void resume() noexcept;
  // For await_resume(): throws Cancelled when it was stopped, std::logic_error when no executor runs here.
  void check() const;

  // Whether it is in its place.
  bool waits() const noexcept { return waits_; }
  // Where it waits, once enter() is called.
  Executor& executor() const noexcept { return *executor_; }

  void on_turn() noexcept override { resume(); }

private:
  enum class Outcome : std::uint8_t { Done, Stopped, NoExecutor };

  bool wait(std::coroutine_handle<> waiting, StopState* stop) noexcept;
  void on_stop() noexcept override;

  Executor* executor_ = nullptr;
  std::coroutine_handle<> waiting_;
  Outcome outcome_ = Outcome::Done;
  bool waits_ = false;
};

}  // namespace tern::coro
