// Middleware: what runs around handlers.
//
// A middleware is callable as m(Request&, Next) const and returns Reply, Response or Task<Response>. It runs at the end
// of the head, before the content is read (Request::body() is empty) and before 100 Continue, and around 404, 405 and
// errors too: what is thrown behind it arrives as the response that it becomes.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/http/exchange.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace tern {

class Next;

namespace app {

using LinkCall = Reply(const void* self, Exchange& exchange, Next next);

struct Link {
  LinkCall* invoke = nullptr;  // never throws: it is guarded<>
  const void* self = nullptr;
};

}  // namespace app

// What follows: the next middleware, or the handler. Call it at most once, or answer without it. Cheap to copy; a
// coroutine may keep it.
class Next {
public:
  Next(const app::Link* link, Exchange& exchange) noexcept : link_(link), exchange_(&exchange) {}
  Reply operator()() const noexcept;

private:
  const app::Link* link_;
  Exchange* exchange_;
};

inline Reply Next::operator()() const noexcept {
  return link_->invoke(link_->self, *exchange_, Next(link_ + 1, *exchange_));
}

namespace app {

// What the task of `reply` throws, becomes its response.
void guard_task(Reply& reply, Exchange& exchange);
// What the exception that is being handled becomes. (A function of its own, so that those that catch stay small.)
Reply caught_reply(Exchange& exchange) noexcept;

template <LinkCall* Call>
Reply call_and_guard(const void* self, Exchange& exchange, Next next) {
  Reply reply = Call(self, exchange, next);
  if (!reply.ready()) [[unlikely]]
    guard_task(reply, exchange);
  return reply;
}

// What `Call` throws, at once or in its task, becomes its response. (In two functions: GCC moves what is named within
// a try block.)
template <LinkCall* Call>
Reply guarded(const void* self, Exchange& exchange, Next next) noexcept {
  try {
    return call_and_guard<Call>(self, exchange, next);
  } catch (...) {
    return caught_reply(exchange);
  }
}

template <class M>
concept UsableMiddleware = requires(const M& middleware, Request& request, Next next) { middleware(request, next); };

template <class M>
using MiddlewareResult = std::invoke_result_t<const M&, Request&, Next>;

// A middleware in its chain. Owns the callable.
class MiddlewareBox {
public:
  MiddlewareBox() noexcept = default;
  MiddlewareBox(MiddlewareBox&& other) noexcept
      : invoke(other.invoke),
        object(std::exchange(other.object, nullptr)),
        destroy(other.destroy),
        may_suspend(other.may_suspend) {}
  MiddlewareBox& operator=(MiddlewareBox&&) = delete;
  ~MiddlewareBox() {
    if (object != nullptr) destroy(object);
  }

  decltype(Link::invoke) invoke = nullptr;
  void* object = nullptr;
  void (*destroy)(void*) noexcept = nullptr;
  bool may_suspend = false;
};

template <class M>
Reply call_middleware(const void* self, Exchange& exchange, Next next) {
  const M& call = *static_cast<const M*>(self);
  if constexpr (std::same_as<MiddlewareResult<M>, Task<Response>>) {
    return reply_of(call(exchange.request(), next), exchange);
  } else {
    return call(exchange.request(), next);
  }
}

template <class M>
MiddlewareBox box_middleware(M middleware) {
  static_assert(
      UsableMiddleware<M>,
      "tern: a middleware is callable as m(tern::Request&, tern::Next) const; it is shared by all loops, so a "
      "mutable lambda cannot be one");
  MiddlewareBox box;
  if constexpr (UsableMiddleware<M>) {
    using Result = MiddlewareResult<M>;
    static_assert(
        std::same_as<Result, Reply> || std::same_as<Result, Response> || std::same_as<Result, Task<Response>>,
        "tern: a middleware returns tern::Reply (such as next()), tern::Response or tern::Task<tern::Response>");
    box.object = new M(std::move(middleware));
    box.destroy = [](void* dead) noexcept { delete static_cast<M*>(dead); };
    box.may_suspend = std::same_as<Result, Task<Response>>;
    box.invoke = &guarded<&call_middleware<M>>;
  }
  return box;
}

}  // namespace app
}  // namespace tern
