// Task: a coroutine that computes a T, lazily, with one owner.
#pragma once

#include <tern/base/block_pool.hpp>
#include <tern/base/expects.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/suspended.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace tern {

template <class T>
class Task;

namespace coro {

// The stop state of a waiting coroutine; null if there is none, and for coroutines of other types.
template <class Promise>
StopState* stop_of(std::coroutine_handle<Promise> waiting) noexcept {
  if constexpr (requires { static_cast<StopState*>(waiting.promise().stop); }) {
    return waiting.promise().stop;
  } else {
    return nullptr;
  }
}

// Called when a task has ended: resumes a waiting coroutine, or calls a callback.
struct Continuation {
  void (*call)(void*) = nullptr;
  void* context = nullptr;

  static Continuation resuming(std::coroutine_handle<> handle) noexcept {
    return {[](void* address) { std::coroutine_handle<>::from_address(address).resume(); }, handle.address()};
  }
};

// Allocates frames from the thread's block pool. The compiler passes the frame's size to the sized delete.
struct PooledFrame {
  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* frame, std::size_t size) noexcept { base::free_block(frame, size); }
};

// The awaiting coroutine starts the task, and then checks whether it has already ended. A task that never waits returns
// to its starter instead of resuming it: a loop of a million ready awaits uses constant stack in every build. Symmetric
// transfer guarantees that only where the compiler makes it a tail call.
struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
    const Continuation continuation = ended.promise().continuation;
    if (continuation.call != nullptr) continuation.call(continuation.context);  // may destroy this frame
  }
  void await_resume() const noexcept {}
};

// The part of a promise that does not depend on its type.
struct PromiseCore : PooledFrame {
  void set_stop(StopState* state) noexcept {
    stop = state;
    stop_is_set = true;
  }
  void inherit_stop(StopState* state) noexcept {
    if (!stop_is_set) set_stop(state);
  }

  Continuation continuation;
  StopState* stop = nullptr;
  bool stop_is_set = false;
  std::exception_ptr error;
};

// Whether PromiseCore is at the place that std::coroutine_handle<PromiseCore> expects.
template <class Promise>
inline constexpr bool is_task =
    std::is_base_of_v<PromiseCore, Promise> && alignof(Promise) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;

// The continuation of a task that a task awaits. A function of its own, by which chains of coroutines are recognised.
void resume_task(void* frame);

// A task that is started for a group, whose coroutine waits for all of it: chains of coroutines continue there.
class GroupedTask {
public:
  GroupedTask(const GroupedTask&) = delete;
  GroupedTask& operator=(const GroupedTask&) = delete;

  // The coroutine that waits for the group at present.
  virtual Suspended awaited_by() const noexcept = 0;

protected:
  GroupedTask() noexcept = default;
  GroupedTask(GroupedTask&&) noexcept {}
  ~GroupedTask() = default;

private:
  friend void end_grouped_task(void* task);
  // The task has ended, after its start; may destroy this.
  virtual void on_end() noexcept = 0;
};

// The continuation of a GroupedTask, with its address as context.
void end_grouped_task(void* task);

// Starts a Task, or a type with the same interface, for the awaiting coroutine. True if that has to wait.
template <class Promise, class Startable>
bool start_for(std::coroutine_handle<Promise> waiting, Startable& task) {
  task.inherit_stop(stop_of(waiting));
  if constexpr (is_task<Promise>) {
    return !task.start(&resume_task, waiting.address());
  } else {
    const Continuation resume = Continuation::resuming(waiting);
    return !task.start(resume.call, resume.context);
  }
}

template <class T>
struct PromiseBase : PromiseCore {
  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

  struct Nothing {};
  std::optional<std::conditional_t<std::is_void_v<T>, Nothing, T>> value;
};

template <class T>
struct Promise : PromiseBase<T> {
  Task<T> get_return_object() noexcept;
  template <class U>
    requires std::is_constructible_v<T, U&&>
  void return_value(U&& result) {
    this->value.emplace(std::forward<U>(result));
  }
  void return_value(T&& result) { this->value.emplace(std::move(result)); }
};

template <>
struct Promise<void> : PromiseBase<void> {
  Task<void> get_return_object() noexcept;
  void return_void() noexcept {}
};

}  // namespace coro

// A Task starts once, when it is awaited (or by start()). Destroying a waiting task destroys its frame; the awaited
// object must allow that. A task runs on the thread of the loop that started it. Its exceptions are rethrown to the
// awaiting coroutine.
//
// A task has a stop state, its own or that of the coroutine that awaits it. When that is stopped, the current await
// throws Cancelled (docs/adr/0008-cancellation.md).
template <class T = void>
class [[nodiscard]] Task {
public:
  using promise_type = coro::Promise<T>;
  using value_type = T;

  Task() noexcept = default;
  explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { destroy(); }

  // Whether it has a coroutine.
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  bool done() const noexcept { return handle_.done(); }

  // Runs the task from outside of a coroutine. True if it has ended; otherwise calls `call(context)` when it ends,
  // which may destroy the task.
  [[nodiscard]] bool start(void (*call)(void*), void* context) {
    base::expects(handle_ && !handle_.done(), "a task is started once");
    handle_.resume();
    if (handle_.done()) return true;
    handle_.promise().continuation = {call, context};
    return false;
  }

  // Before the start: sets the stop state of this task and those that it awaits, instead of the awaiting coroutine's.
  // Null: it cannot be stopped. The state must live until the task has ended.
  void set_stop(StopState* stop) noexcept { handle_.promise().set_stop(stop); }
  // The same, without effect if a stop state was set before.
  void inherit_stop(StopState* stop) noexcept { handle_.promise().inherit_stop(stop); }

  // Whether a completed task has an exception.
  bool failed() const noexcept { return handle_.promise().error != nullptr; }

  // The value of a completed task; throws its exception. Once.
  T result() {
    auto& promise = handle_.promise();
    if (promise.error) std::rethrow_exception(std::exchange(promise.error, nullptr));
    if constexpr (!std::is_void_v<T>) {
      base::expects(promise.value.has_value(), "a task has a value when it has ended");
      return std::move(*promise.value);
    }
  }

  // Releases the frame; the caller destroys it.
  std::coroutine_handle<promise_type> release() noexcept { return std::exchange(handle_, nullptr); }

  class Awaiter {
  public:
    explicit Awaiter(Task& task) noexcept : task_(task) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting) {
      return coro::start_for(waiting, task_);
    }
    T await_resume() { return task_.result(); }

  private:
    Task& task_;
  };
  Awaiter operator co_await() && noexcept { return Awaiter(*this); }
  Awaiter operator co_await() & noexcept { return Awaiter(*this); }

private:
  void destroy() noexcept {
    if (handle_) std::exchange(handle_, nullptr).destroy();
  }

  std::coroutine_handle<promise_type> handle_;
};

namespace coro {

template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}

inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace coro
}  // namespace tern
