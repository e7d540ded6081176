// blocking(): runs handlers that block or compute on the app's thread pool.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/app/handler_traits.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/task.hpp>

#include <type_traits>
#include <utility>

namespace tern {
namespace app {

template <class A>
concept NotForPools = is_request<A> || is_stream<A>;

// A coroutine around the handler, for the binding.
template <class F, class R, class... A>
class BlockingHandler {
public:
  BlockingHandler(Priority priority, F handler) : handler_(std::move(handler)), priority_(priority) {}

  Task<R> operator()(A... arguments) const {
    const auto call = [&]() -> R { return handler_(static_cast<A&&>(arguments)...); };
    co_return co_await offload(priority_, call);
  }

private:
  F handler_;
  Priority priority_;
};

template <class F, class R, class... A>
auto make_blocking(Priority priority, F handler, Signature<R, A...>) {
  static_assert(
      !(false || ... || NotForPools<A>),
      "tern: a blocking handler runs on the thread pool, where tern::Request& and streams of the content must not "
      "go: take other extractors");
  return BlockingHandler<F, R, A...>(priority, std::move(handler));
}

template <class F>
auto make_blocking(Priority priority, F handler) {
  using Traits = HandlerTraits<F>;
  static_assert(
      Traits::kind == Callable::Usable,
      "tern: blocking() takes a function, a lambda that is neither generic nor mutable, or an object with one const "
      "operator()");
  if constexpr (Traits::kind == Callable::Usable) {
    using Result = typename Traits::Result;
    return [&]<class... A>(TypeList<A...>) {
      return make_blocking(priority, std::move(handler), Signature<Result, A...>{});
    }(typename Traits::Arguments{});
  }
}

}  // namespace app

// app.get("/ln", tern::blocking([](tern::Query<Ln> q) { … })): extracts the parameters on the loop, calls the handler
// on the thread pool, and sends its result on the loop. The handler must not use objects of the loop: Request& and
// BodyStream do not compile. If the pool's queue is full, the response is 503 with Retry-After; a request whose client
// has disconnected before the handler has begun is removed from the queue.
template <class F>
auto blocking(Priority priority, F handler) {
  return app::make_blocking(priority, std::move(handler));
}
template <class F>
auto blocking(F handler) {
  return blocking(Priority::Normal, std::move(handler));
}

}  // namespace tern
