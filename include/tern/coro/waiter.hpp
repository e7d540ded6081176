// Waiter: the common base of all waits of coroutines.
//
// Life of a wait: await_suspend() checks whether the coroutine was stopped (then the await throws Cancelled at once),
// and whether the result is ready. Otherwise the wait registers itself with the awaited object and with the stop state.
// The first of the event and the stop unregisters it and schedules a turn on the executor, which resumes the coroutine.
// The first one decides: a stop does not discard a value that was already passed. Destroying the frame unregisters the
// wait.
#pragma once

#include <tern/coro/cancelled.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>

#include <coroutine>
#include <cstdint>

namespace tern::coro {

class Context;

class Waiter : protected Turn, private StopCallback {
public:
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // For chains of coroutines, while it waits: the one that was noted before it in the same log, and the coroutine.
  const Waiter* older() const noexcept { return older_; }
  const char* awaits() const noexcept { return what(); }
  std::coroutine_handle<> waiting() const noexcept { return waiting_; }
  bool waiting_is_task() const noexcept { return is_task_; }

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
    is_task_ = is_task<Promise>;
    return wait(waiting, stop_of(waiting));
  }

protected:
  Waiter() noexcept = default;
  // The derived class unregisters a waiting one.
  ~Waiter() {
    if (in_log_ != nullptr) leave_log();
  }

  // Whether the result is ready.
  virtual bool ready() noexcept = 0;
  // Registers the wait; false if the result is ready after all.
  virtual bool enter() noexcept = 0;
  // What is awaited, in a word: for those who look at a request.
  virtual const char* what() const noexcept { return "event"; }
  // Unregisters the wait because of a stop; false if it is too late, and the wait continues to its end.
  virtual bool leave() noexcept = 0;

  // The event has occurred, and the wait is unregistered: resumes the coroutine at its turn.
  void wake() noexcept;
  // The same directly; only from the executor's loop.
  void resume() noexcept;
  // For await_resume(): throws Cancelled if it was stopped, std::logic_error on a thread without an executor.
  void check() const;

  // Whether it is registered.
  bool waits() const noexcept { return waits_; }
  // The executor of the wait; after enter().
  Executor& executor() const noexcept { return *executor_; }
  // Of the waiting coroutine; null: none.
  WaitLog* wait_log() const noexcept { return log_; }
  // The same: what it works for.
  Context* context() const noexcept { return context_; }

  void on_turn() noexcept override { resume(); }

private:
  friend class WaitLog;
  enum class Outcome : std::uint8_t { Done, Stopped, NoExecutor };

  bool wait(std::coroutine_handle<> waiting, StopState* stop) noexcept;
  void on_stop() noexcept override;
  void enter_log() noexcept;
  void leave_log() noexcept;

  Executor* executor_ = nullptr;
  std::coroutine_handle<> waiting_;
  WaitLog* log_ = nullptr;
  Context* context_ = nullptr;
  std::uint64_t began_ = 0;  // with a log
  Waiter* older_ = nullptr;
  Waiter** in_log_ = nullptr;  // the pointer of the log, or of a newer wait, that points here; null: it is not noted
  Outcome outcome_ = Outcome::Done;
  bool waits_ = false;
  bool is_task_ = false;  // the waiting coroutine
};

}  // namespace tern::coro
