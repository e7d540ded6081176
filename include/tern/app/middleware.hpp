// Middleware: code around handlers.
//
// A middleware is callable as m(Request&, Next) const and returns Reply, Response or Task<Response>. Instead of
// Request& it may take extractors of the head, such as State<T>, which respond for it if they fail. It runs when the
// head is complete, before the content is read (Request::body() is empty) and before 100 Continue, and also around 404,
// 405 and errors: it sees the response that an inner exception becomes.
//
// A class with `static constexpr bool comes_first = true` precedes all other middleware of a chain, and runs for CORS
// preflights of its route. It takes (Request&, Next).
//
// A class with `void add_fields(const Request&, Response&) const` adds fields to a response of the server that takes
// the place of the chain's, such as the 503 of a handler_timeout. It may run beside the handler, which has the request,
// and before the middleware itself has run.
//
// A class that authenticates says so by `using Identifies = User;`, and calls tern::identify(request, user, scheme).
#pragma once

#include <tern/app/bind.hpp>
#include <tern/http/exchange.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
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

// The rest of the chain: the next middleware, or the handler. Call it at most once, or respond without it. Cheap to
// copy; a coroutine may keep it.
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

// Converts exceptions of the task of `reply` to responses.
void guard_task(Reply& reply, Exchange& exchange);
// The response for the exception being handled. (A separate function, so that the callers stay small.)
Reply caught_reply(Exchange& exchange) noexcept;

template <LinkCall* Call>
Reply call_and_guard(const void* self, Exchange& exchange, Next next) {
  Reply reply = Call(self, exchange, next);
  if (!reply.ready()) [[unlikely]]
    guard_task(reply, exchange);
  return reply;
}

// Converts exceptions of `Call` and of its task to responses. (In two functions: GCC does not elide the move of a
// variable within a try block.)
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

// For middleware that knows about users; defined in identity_type.hpp, which identity.hpp includes.
struct IdentityType;
template <class User>
struct IdentityTypeOf;

enum class Grant : std::uint8_t { None, Role, Scope };

// What a middleware needs to know about the user; by its function identity_need().
struct IdentityNeed {
  bool needed = false;
  const IdentityType* type = nullptr;  // null: any
  Grant grant = Grant::None;           // that users of the type must be able to have
};

// A middleware in its chain. Owns the callable.
class MiddlewareBox {
public:
  MiddlewareBox() noexcept = default;
  MiddlewareBox(MiddlewareBox&& other) noexcept
      : invoke(other.invoke),
        object(std::exchange(other.object, nullptr)),
        destroy(other.destroy),
        describe(other.describe),
        add_fields(other.add_fields),
        may_suspend(other.may_suspend),
        comes_first(other.comes_first),
        checks_host(other.checks_host),
        provides(other.provides),
        identifies(other.identifies),
        identity_need(other.identity_need),
        needs(other.needs),
        place(other.place) {}
  MiddlewareBox& operator=(MiddlewareBox&&) = delete;
  ~MiddlewareBox() {
    if (object != nullptr) destroy(object);
  }

  decltype(Link::invoke) invoke = nullptr;
  void* object = nullptr;
  void (*destroy)(void*) noexcept = nullptr;
  void (*describe)(const void* object, Operation& operation) = nullptr;  // null: it says nothing about itself
  // To a response that takes the place of the chain's; null: none.
  void (*add_fields)(const void* object, const Request& request, Response& response) = nullptr;
  bool may_suspend = false;
  bool comes_first = false;
  bool checks_host = false;                  // in place of the core; see Core::serve_local_hosts_only
  const void* provides = nullptr;            // the key of what extractors may need; see NeededState
  const IdentityType* identifies = nullptr;  // null: it does not authenticate
  IdentityNeed identity_need;
  std::span<const Need> needs;
  std::source_location place;
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

// A middleware's parameter besides Request& and Next: extracted from the head, without waiting.
template <class A>
concept MiddlewareParameter =
    is_request<A> || std::same_as<std::remove_cvref_t<A>, Next> ||
    (UsableParameter<A> && Extractable<std::remove_cvref_t<A>> && !TakesPlaceholderByName<std::remove_cvref_t<A>> &&
     !reads_body<A> && !streams_body<A> && !is_awaited<A>);

template <class List>
inline constexpr bool usable_middleware_parameters = false;
template <class... A>
inline constexpr bool usable_middleware_parameters<TypeList<A...>> =
    (true && ... && MiddlewareParameter<A>) &&
    (std::size_t{0} + ... + std::size_t{std::same_as<std::remove_cvref_t<A>, Next>}) == 1;

template <class M>
inline constexpr bool comes_first = false;
template <class M>
  requires requires { M::comes_first; }
inline constexpr bool comes_first<M> = M::comes_first;

template <class M>
concept ExtractingMiddleware =
    HandlerTraits<M>::kind == Callable::Usable && usable_middleware_parameters<typename HandlerTraits<M>::Arguments>;

template <std::size_t I, class A>
bool fill_for_middleware(IndexedSlot<I, A>& into, Request& request, Next next, std::optional<Rejection>& failure) {
  if constexpr (is_request<A>) {
    return true;
  } else if constexpr (std::same_as<std::remove_cvref_t<A>, Next>) {
    into.value.emplace(next);
    return true;
  } else {
    return into.fill(request, request.arena(), failure);
  }
}

// The middleware as m(Request&, Next): extracts its parameters first.
template <class M, class R, class... A>
class ExtractionBefore {
  using Indices = std::index_sequence_for<A...>;
  using AllSlots = Slots<Indices, A...>;

public:
  explicit ExtractionBefore(M middleware) : middleware_(std::move(middleware)) {}

  static constexpr std::span<const Need> required = needs<std::remove_cvref_t<A>...>;

  Reply operator()(Request& request, Next next) const {
    // A coroutine's reference parameters must outlive the call.
    if constexpr (is_task<R> && (false || ... || (std::is_reference_v<A> && !is_request<A>))) {
      return run(request, next, request.arena().template make<AllSlots>(), Indices{});
    } else {
      AllSlots slots;
      return run(request, next, slots, Indices{});
    }
  }

private:
  template <std::size_t... I>
  Reply run(Request& request, Next next, AllSlots& slots, std::index_sequence<I...>) const {
    static_cast<void>((true && ... && fill_for_middleware<I, A>(slots, request, next, slots.failure)));
    if (slots.failure) {
      return rejected(std::move(*slots.failure), request.exchange());
    }
    return middleware_(slot<I, A>(slots).pass(request)...);
  }

  M middleware_;
};

template <class M, class R, class... A>
MiddlewareBox box_extracting(M middleware, TypeList<A...>);

template <class R>
concept MiddlewareAnswer = std::same_as<R, Reply> || std::same_as<R, Response> || std::same_as<R, Task<Response>>;

template <class M>
MiddlewareBox box_middleware(M middleware) {
  static_assert(
      UsableMiddleware<M> || ExtractingMiddleware<M>,
      "tern: a middleware is callable as m(tern::Request&, tern::Next) const, or takes one tern::Next and extractors "
      "of the head; it is shared by all loops, so a mutable lambda cannot be one");
  MiddlewareBox box;
  if constexpr (UsableMiddleware<M>) {
    using Result = MiddlewareResult<M>;
    static_assert(
        MiddlewareAnswer<Result>,
        "tern: a middleware returns tern::Reply (such as next()), tern::Response or tern::Task<tern::Response>");
    if constexpr (MiddlewareAnswer<Result>) {
      box.object = new M(std::move(middleware));
      box.destroy = [](void* dead) noexcept { delete static_cast<M*>(dead); };
      box.may_suspend = std::same_as<Result, Task<Response>>;
      box.comes_first = comes_first<M>;
      if constexpr (requires { M::checks_host; }) box.checks_host = M::checks_host;
      if constexpr (requires { M::provides; }) box.provides = M::provides;
      const M& call = *static_cast<const M*>(box.object);
      if constexpr (requires { call.may_suspend(); }) box.may_suspend = call.may_suspend();
      if constexpr (requires { typename M::Identifies; })
        box.identifies = IdentityTypeOf<typename M::Identifies>::value;
      if constexpr (requires { call.needs(); }) box.needs = call.needs();
      if constexpr (requires { call.identity_need(); }) box.identity_need = call.identity_need();
      box.invoke = &guarded<&call_middleware<M>>;
      if constexpr (requires(const Request& request, Response& response) { call.add_fields(request, response); }) {
        box.add_fields = [](const void* object, const Request& request, Response& response) {
          static_cast<const M*>(object)->add_fields(request, response);
        };
      }
      if constexpr (requires(const M& object, Operation& operation) { object.describe(operation); }) {
        box.describe = [](const void* object, Operation& operation) {
          static_cast<const M*>(object)->describe(operation);
        };
      }
    }
  } else if constexpr (ExtractingMiddleware<M>) {
    static_assert(!comes_first<M>, "tern: a middleware that comes first takes (tern::Request&, tern::Next)");
    using Result = typename HandlerTraits<M>::Result;
    static_assert(
        MiddlewareAnswer<Result>,
        "tern: a middleware returns tern::Reply (such as next()), tern::Response or tern::Task<tern::Response>");
    if constexpr (MiddlewareAnswer<Result>) {
      return box_extracting<M, Result>(std::move(middleware), typename HandlerTraits<M>::Arguments{});
    }
  }
  return box;
}

template <class M, class R, class... A>
MiddlewareBox box_extracting(M middleware, TypeList<A...>) {
  using Extracting = ExtractionBefore<M, R, A...>;
  MiddlewareBox box = box_middleware(Extracting(std::move(middleware)));
  box.may_suspend = is_task<R>;
  box.needs = Extracting::required;
  return box;
}

}  // namespace app
}  // namespace tern
