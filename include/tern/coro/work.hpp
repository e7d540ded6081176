// Work: a callable that runs on a loop later, either a plain function or a coroutine.
#pragma once

#include <tern/base/box.hpp>
#include <tern/coro/task.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace tern::coro {

// Callable without arguments; returns void or a Task<>.
template <class F>
concept Runnable = std::invocable<F&> &&
                   (std::is_void_v<std::invoke_result_t<F&>> || std::same_as<std::invoke_result_t<F&>, Task<void>>);

// Calls `f` when the task starts. The frame owns the callable, so that a coroutine's captures stay valid.
template <Runnable F>
Task<void> calling(F f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    f();
    co_return;
  } else {
    co_await f();
  }
}

// A stored callable that runs once or more. Its memory comes from the thread's block pool.
class Work : public PooledFrame {
public:
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  // The work must outlive the task.
  virtual Task<void> run() = 0;

  base::Box<Work> next;  // for the owner's list

protected:
  Work() = default;
};

template <Runnable F>
class CallingWork final : public Work {
public:
  explicit CallingWork(F call) : call_(std::move(call)) {}

  Task<void> run() override {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      return call_once(call_);
    } else {
      return call_();
    }
  }

private:
  static Task<void> call_once(F& call) {
    call();
    co_return;
  }
  F call_;
};

template <Runnable F>
base::Box<Work> make_work(F call) {
  return base::Box<Work>(new CallingWork<F>(std::move(call)));
}

}  // namespace tern::coro
