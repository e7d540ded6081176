// Scope: the owner of tasks that nobody awaits one by one.
#pragma once

#include <tern/base/function.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/coro/event.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/work.hpp>

#include <cstddef>
#include <exception>

namespace tern {

// Belongs to one loop: everything but the constructor is called on its thread. Background tasks of an app have one for
// each loop; a coroutine makes one to run things beside itself:
//
//   tern::Scope scope(co_await tern::current_stop());
//   for (const auto& address : addresses) scope.spawn(notify(address));
//   co_await scope.join();
//
// What still runs when the scope dies is destroyed where it waits; what it holds is destroyed with it, and an offloaded
// function that has begun is waited for. So join() before, or have nothing in it that minds.
class Scope {
public:
  using OnError = base::Function<void(std::exception_ptr)>;

  // Without a callback, join() throws the first exception of a task.
  Scope() noexcept : Scope(StopToken()) {}
  // Its tasks are stopped when `outer` fires.
  explicit Scope(StopToken outer) noexcept : stop_(outer) {}
  // `on_error` gets what tasks throw; it must not throw.
  explicit Scope(OnError on_error, StopToken outer = {}) : stop_(outer), on_error_(std::move(on_error)) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { clear(); }

  // Starts the task, which runs until it waits for the first time before this returns. It is stopped with the scope,
  // unless it has a stop state of its own. An exception goes to the callback; Cancelled is an ordinary end.
  void spawn(Task<void> task);

  // Destroys what still runs.
  void clear() noexcept;

  // Tasks that have not ended.
  std::size_t running() const noexcept { return running_; }

  // Stops all that run, and all that will be spawned.
  void stop() noexcept { stop_.stop(); }
  StopToken stop_token() noexcept { return StopToken(stop_); }

  // Ends when no task runs. When the one who waits is stopped, the scope is stopped too, and join() ends with
  // Cancelled, also not before no task runs. Those who are no coroutines start it: Task<> joining = scope.join();
  Task<void> join();

private:
  class Spawned;
  class Follower;

  void failed(std::exception_ptr error) noexcept;

  LinkedStop stop_;
  OnError on_error_;
  std::exception_ptr first_error_;
  coro::List<Spawned> tasks_;
  std::size_t running_ = 0;
  Event idle_;  // set when nothing runs and somebody waits for that
};

// A background task: it belongs to the app whose loop this is, and not to the request that started it, whose end or
// disconnect does not stop it. For everything that runs on a loop; App::spawn() is for other threads. The task runs
// here until it waits for the first time, and goes on by itself. It is stopped when the app ends, after the requests
// have ended, and waited for; an exception goes into the error log. What it uses, it owns: the request is gone before
// it is. Throws std::logic_error on a thread that runs no app.
//
// A coroutine lambda is given as it is, uncalled, and kept with what it captures until it has ended:
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
