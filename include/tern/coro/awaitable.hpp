// Converting awaitables to tasks, and access to the current coroutine's stop token.
#pragma once

#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>

#include <coroutine>
#include <utility>

namespace tern {
namespace coro {

// The awaiter of `co_await a`.
template <class A>
decltype(auto) awaiter_of(A&& awaitable) {
  if constexpr (requires { std::forward<A>(awaitable).operator co_await(); }) {
    return std::forward<A>(awaitable).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<A>(awaitable)); }) {
    return operator co_await(std::forward<A>(awaitable));
  } else {
    return std::forward<A>(awaitable);
  }
}

template <class A>
concept Awaitable = requires(A&& awaitable) {
  { awaiter_of(std::forward<A>(awaitable)).await_ready() } -> std::convertible_to<bool>;
};

// The type of `co_await a`.
template <Awaitable A>
using AwaitResult = decltype(awaiter_of(std::declval<A>()).await_resume());

template <class T>
Task<T> as_task(Task<T> task) {
  return task;
}
template <Awaitable A>
Task<AwaitResult<A>> as_task(A awaitable) {
  co_return co_await std::move(awaitable);
}

struct CurrentStop {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> asking) noexcept {
    if (StopState* stop = stop_of(asking)) token = StopToken(*stop);
    return false;
  }
  StopToken await_resume() const noexcept { return token; }
  StopToken token;
};

}  // namespace coro

// The stop token of the calling coroutine, for computations: co_await tern::current_stop(). Does not suspend. Valid
// until the coroutine has ended.
inline coro::CurrentStop current_stop() noexcept {
  return {};
}

// The same work, shielded from stops: for work that must be completed although its result is no longer needed.
//
//   co_await tern::uncancelled(release(lock));
template <coro::Awaitable A>
auto uncancelled(A&& awaitable) {
  auto task = coro::as_task(std::forward<A>(awaitable));
  task.set_stop(nullptr);
  return task;
}

}  // namespace tern
