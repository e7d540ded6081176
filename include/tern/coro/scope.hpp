// Scope: owns tasks that are not awaited individually.
#pragma once

#include <tern/base/function.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/coro/event.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/work.hpp>

#include <cstddef>
#include <exception>

namespace tern {

// Belongs to one loop: everything except the constructor is called on its thread. Each loop of an app has one for
// background tasks; coroutines use their own to run several tasks:
//
//   tern::Scope scope(co_await tern::current_stop());
//   for (const auto& address : addresses) scope.spawn(notify(address));
//   co_await scope.join();
//
// The destructor destroys running tasks with their frames, and waits for offloaded functions that have begun. Call
// join() first, unless all tasks can be destroyed at any await.
class Scope {
public:
  using OnError = base::Function<void(std::exception_ptr)>;

  // join() throws the first exception of a task.
  Scope() noexcept : Scope(StopToken()) {}
  // Stops its tasks when `outer` fires.
  explicit Scope(StopToken outer) noexcept : stop_(outer) {}
  // `on_error` gets the exceptions of tasks; it must not throw.
  explicit Scope(OnError on_error, StopToken outer = {}) : stop_(outer), on_error_(std::move(on_error)) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { clear(); }

  // Starts the task and runs it to its first wait. The scope's stop also stops the task, unless that has a stop state
  // of its own. Exceptions go to the callback, except Cancelled.
  void spawn(Task<void> task);

  // Destroys running tasks.
  void clear() noexcept;

  // Tasks that have not ended.
  std::size_t running() const noexcept { return running_; }

  // Stops all running and later tasks.
  void stop() noexcept { stop_.stop(); }
  StopToken stop_token() noexcept { return StopToken(stop_); }

  // Waits until no task runs. If the waiting coroutine is stopped, the scope is stopped too, and join() throws
  // Cancelled after all tasks have ended. Outside of a coroutine, start the task: Task<> joining = scope.join();
  Task<void> join();

private:
  class ScopedTask;
  class StopForwarder;

  void failed(std::exception_ptr error) noexcept;

  LinkedStop stop_;
  OnError on_error_;
  std::exception_ptr first_error_;
  coro::List<ScopedTask> tasks_;
  std::size_t running_ = 0;
  Event idle_;  // set when no task runs and join() waits
};

// Starts a background task: it belongs to the app whose loop this is, not to the request that started it, and continues
// after the request has ended. Only on a loop; other threads use App::spawn(). Runs the task to its first wait. The
// task is stopped and awaited when the app ends, after the requests; its exceptions go to the error log. It must own
// what it uses, because it outlives the request. Throws std::logic_error on a thread without an app's loop.
//
// A coroutine lambda is passed without calling it, and is kept with its captures until it has ended:
//
//   tern::spawn([id]() -> tern::Task<> { co_await index(id); });
void spawn(Task<void> task);
template <class F>
void spawn(F work) {
  static_assert(coro::Runnable<F>,
                "tern: spawn() takes a tern::Task<>, or what takes nothing and returns one (or nothing)");
  if constexpr (coro::Runnable<F>) spawn(coro::calling(std::move(work)));
}

}  // namespace tern
