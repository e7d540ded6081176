// Binding: converts a callable to an endpoint, which takes an exchange and returns a reply. Only the extraction of the
// parameters, the call and the conversion of the result are instantiated per handler; everything else is in src/app/.
#pragma once

#include <tern/app/extract.hpp>
#include <tern/app/needs.hpp>
#include <tern/app/pattern.hpp>
#include <tern/app/respond.hpp>
#include <tern/app/steps.hpp>
#include <tern/http/websocket.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern::app {

// A bound handler. Owns the callable.
class Endpoint {
public:
  using Invoke = Reply (*)(const void* handler, Exchange& exchange);

  Endpoint() noexcept = default;
  Endpoint(Endpoint&& other) noexcept { *this = std::move(other); }
  Endpoint& operator=(Endpoint&& other) noexcept {
    std::swap(handler, other.handler);
    std::swap(destroy, other.destroy);
    invoke = other.invoke;
    needs = other.needs;
    positional = other.positional;
    reads_body = other.reads_body;
    streams_body = other.streams_body;
    suspends = other.suspends;
    may_outlast = other.may_outlast;
    is_socket = other.is_socket;
    mistake = other.mistake;
    contract = other.contract;
    media_type = other.media_type;
    return *this;
  }
  ~Endpoint() {
    if (handler != nullptr) destroy(handler);
  }

  Invoke invoke = nullptr;
  void* handler = nullptr;
  void (*destroy)(void*) noexcept = nullptr;
  std::span<const Need> needs;
  std::size_t positional = 0;
  bool reads_body = false;    // the content is read before the handler is called
  bool streams_body = false;  // the handler reads the content itself, as it arrives
  bool suspends = false;      // the handler is a coroutine
  bool may_outlast = false;   // code that uses the request may run after this iteration: the head must be pinned
  bool is_socket = false;     // of App::websocket(): HTTP/2 uses an extended CONNECT (RFC 8441)
  std::string_view mistake;   // why it cannot be served, literal text; empty: it can
  const Contract* contract = nullptr;
  std::string_view media_type;  // of produces(), literal text; empty: the type of the result
};

// --- Replies of tasks ------------------------------------------------------------------------------------------------

// Converts the value of a task to a response. Takes the frame.
template <class T>
Response make_response(void* frame, void* exchange) {
  Task<T> task(std::coroutine_handle<coro::Promise<T>>::from_address(frame));
  if constexpr (std::is_void_v<T>) {
    task.result();
    return Response(Status::NoContent);
  } else {
    return respond(task.result(), *static_cast<Exchange*>(exchange));
  }
}

template <class T>
Reply reply_of(Task<T> task, Exchange& exchange) {
  if constexpr (std::is_same_v<T, Response>) {
    return Reply(std::move(task));
  } else {
    return Reply(ResponseTask(std::move(task), &make_response<T>, &exchange));
  }
}

// --- Parameters ---

template <class A>
inline constexpr bool is_request = std::is_same_v<std::remove_cvref_t<A>, Request>;

template <class A>
inline constexpr bool reads_body = ReadsBody<std::remove_cvref_t<A>>;
template <class A>
inline constexpr bool computes_from_body = ComputesFromBody<std::remove_cvref_t<A>>;
// Awaited ones are not called when there is a rejection already.
template <class A>
inline constexpr bool collects = Collects<std::remove_cvref_t<A>> && !Awaited<std::remove_cvref_t<A>>;
template <class A>
inline constexpr bool streams_body = StreamsBody<std::remove_cvref_t<A>>;
template <class A>
inline constexpr bool is_awaited =
    !is_request<A> && !Positional<std::remove_cvref_t<A>> && Awaited<std::remove_cvref_t<A>>;
// The handler gets the stream itself: a waiting extractor would have read it.
template <class A>
inline constexpr bool is_stream = streams_body<A> && !is_awaited<A>;

// Whether a parameter holds no view into the request.
template <class A>
inline constexpr bool owns_its_value = TextValue<A> && !std::is_same_v<A, std::string_view>;
template <class T>
inline constexpr bool owns_its_value<Json<T>> = true;
template <>
inline constexpr bool owns_its_value<WebSocket> = true;
template <class T>
inline constexpr bool owns_its_value<State<T>> = true;
template <class T>
inline constexpr bool owns_its_value<PerLoop<T>> = true;

// Whether a handler takes a WebSocket.
template <class List>
inline constexpr bool takes_socket = false;
template <class... A>
inline constexpr bool takes_socket<TypeList<A...>> =
    (false || ... || std::is_same_v<std::remove_cvref_t<A>, WebSocket>);

// Whether a handler's result may be a response that is produced after the handler has returned.
template <class R>
inline constexpr bool may_stream = std::is_same_v<R, Response> || CustomResponder<R>;
template <class T>
inline constexpr bool may_stream<std::optional<T>> = may_stream<T>;
template <class T, class E>
inline constexpr bool may_stream<std::expected<T, E>> = may_stream<T> || may_stream<E>;
template <class T>
inline constexpr bool may_stream<WithStatus<T>> = may_stream<T>;

// A parameter that streams the content must be the only one that uses it.
template <class List>
inline constexpr bool takes_content_once = true;
template <class... A>
inline constexpr bool takes_content_once<TypeList<A...>> =
    (std::size_t{0} + ... + std::size_t{streams_body<A>}) == 0 ||
    (std::size_t{0} + ... + std::size_t{streams_body<A> || reads_body<A>}) == 1;

// Only coroutines can stream the content.
template <class R, class List>
inline constexpr bool streams_properly = true;
template <class R, class... A>
inline constexpr bool streams_properly<R, TypeList<A...>> =
    (true && ... && (!is_stream<A> || (is_task<R> && !std::is_reference_v<A>)));

template <class P>
std::expected<P, Rejection> read_placeholder(Request& request, std::size_t position) {
  P placeholder{};
  if (!from_text(request.parameters()[position], placeholder.value)) return std::unexpected(parameter_rejected());
  return checked_parameter(std::move(placeholder), request.parameter_name(position), "path");
}

// Holds a parameter until all are available.
template <class A>
struct Slot {
  using Value = std::remove_cvref_t<A>;
  std::optional<Value> value;

  // These return whether other parameters are still of interest. One that is rejected leaves `value` unset and sets
  // `failure`; the handler is not called then.
  bool fill_positional(Request& request, std::size_t position, std::optional<Rejection>& failure) {
    if constexpr (StrongPlaceholder<Value>) {
      auto found = read_placeholder<Value>(request, position);
      if (!found) return add_rejection(failure, std::move(found.error()));
      value.emplace(std::move(*found));
      return true;
    } else {
      if (failure) return true;
      Value parsed{};
      if (!from_text(request.parameters()[position], parsed)) {
        failure.emplace(parameter_rejected());
        return false;
      }
      value.emplace(std::move(parsed));
      return true;
    }
  }
  bool fill(Request& request, Arena& arena, std::optional<Rejection>& failure) {
    if constexpr (!Collects<Value>) {
      if (failure) return true;
    }
    auto found = extract<Value>(request, arena);
    if (!found) return add_rejection(failure, std::move(found.error()));
    value.emplace(std::move(*found));
    return true;
  }
  Task<bool> fill_later(Request& request, std::optional<Rejection>& failure) {
    if (failure) co_return true;
    auto found = co_await Extract<Value>::from(request);
    if (!found) co_return add_rejection(failure, std::move(found.error()));
    value.emplace(std::move(*found));
    co_return true;
  }
  A pass(Request&) {
    if constexpr (std::is_lvalue_reference_v<A>) {
      return *value;
    } else {
      return static_cast<A>(std::move(*value));
    }
  }
};

template <class A>
  requires is_request<A>
struct Slot<A> {
  A pass(Request& request) { return request; }
};

template <std::size_t I, class A>
struct IndexedSlot : Slot<A> {};

template <class Indices, class... A>
struct Slots;
template <std::size_t... I, class... A>
struct Slots<std::index_sequence<I...>, A...> : IndexedSlot<I, A>... {
  std::optional<Rejection> failure;
};

template <std::size_t I, class A>
IndexedSlot<I, A>& slot(IndexedSlot<I, A>& at) {
  return at;
}

// The number of positional parameters before parameter `index`.
template <class... A>
consteval std::size_t position_of(std::size_t index) {
  const bool positional[] = {Positional<std::remove_cvref_t<A>>..., false};
  std::size_t count = 0;
  for (std::size_t i = 0; i < index; ++i) count += positional[i] ? 1U : 0U;
  return count;
}

enum class Part : std::uint8_t { Head, Content };

template <class A>
inline constexpr Part part_of = reads_body<A> || streams_body<A> ? Part::Content : Part::Head;

template <Part Which, std::size_t I, std::size_t Position, class A>
bool fill_one(IndexedSlot<I, A>& into, Request& request, Arena& arena, std::optional<Rejection>& failure) {
  using Value = std::remove_cvref_t<A>;
  if constexpr (is_request<A>) {
    return true;
  } else if constexpr (Positional<Value>) {
    if constexpr (Which == Part::Content) return true;
    return into.fill_positional(request, Position, failure);
  } else if constexpr (Which == part_of<A>) {
    return into.fill(request, arena, failure);
  } else {
    return true;
  }
}

template <class AllSlots, std::size_t I, std::size_t Position, class A>
consteval Step step_of() {
  Step step;
  step.from_content = part_of<A> == Part::Content;
  step.computes = computes_from_body<A> && !is_awaited<A>;
  step.collects = collects<A>;
  if constexpr (is_awaited<A>) {
    step.fill_later = [](void* slots, Request& request, std::optional<Rejection>& failure) {
      return slot<I, A>(*static_cast<AllSlots*>(slots)).fill_later(request, failure);
    };
  } else {
    step.fill = [](void* slots, Request& request, Arena& arena, std::optional<Rejection>& failure) {
      return fill_one<part_of<A>, I, Position, A>(*static_cast<AllSlots*>(slots), request, arena, failure);
    };
  }
  return step;
}

template <class... A>
inline constexpr const ParameterContract* parameter_contracts[sizeof...(A) + 1] = {parameter_contract<A>()..., nullptr};

template <class R, class... A>
inline constexpr Contract contract_of{&result_contract<R>, parameter_contracts<A...>, sizeof...(A)};

// A special handler, which makes its response by answer(request, keeps_request, parameters…): a WebSocket's.
// `keeps_request`: the parameters may refer to the request after the call.
template <class F>
concept AnswersItself = requires { typename F::AnswersItself; };

// --- The handler ----------------------------------------------------------------------------------------------------

template <class F, class R, class... A>
class Binding {
  using Indices = std::index_sequence_for<A...>;
  using AllSlots = Slots<Indices, A...>;

public:
  static constexpr bool later = responds_later<std::remove_cvref_t<typename Unwrapped<R>::type>>;
  static constexpr bool suspends = is_task<R> || std::is_same_v<R, Reply> || later;
  static constexpr bool awaits = (false || ... || is_awaited<A>);
  static constexpr bool takes_stream = (false || ... || is_stream<A>);
  // A handler that uses the request may use its content: it is read first.
  static constexpr bool reads_content =
      !(false || ... || streams_body<A>) && (false || ... || (reads_body<A> || is_request<A>));
  static constexpr bool takes_views = (false || ... || !owns_its_value<std::remove_cvref_t<A>>);

  static Reply invoke(const void* handler, Exchange& exchange) {
    if constexpr (awaits) {
      auto& slots = exchange.arena().template make<AllSlots>();
      return reply_of(after_steps(exchange, steps(Indices{}), reads_content, &call, handler, &slots), exchange);
    } else if constexpr (reads_content) {
      if (!exchange.body_complete()) {
        auto& slots = exchange.arena().template make<AllSlots>();
        if (!fill<Part::Head>(slots, exchange)) return Reply(rejected(std::move(*slots.failure), exchange));
        return reply_of(after_body(exchange, after_content(slots), handler, &slots), exchange);
      }
    }
    if constexpr (keeps_slots) {
      return run(handler, exchange, exchange.arena().template make<AllSlots>());
    } else if constexpr (!awaits) {
      AllSlots slots;
      return run(handler, exchange, slots);
    }
  }

private:
  // Whether the content may add to the violations in the head.
  static constexpr bool collects_from_content = (false || ... || (part_of<A> == Part::Content && collects<A>));
  static constexpr bool fills_from_content = (false || ... || (part_of<A> == Part::Content));
  // A coroutine's reference parameters must outlive the call.
  static constexpr bool keeps_slots =
      !awaits && suspends && (false || ... || (std::is_reference_v<A> && !is_request<A>));

  template <std::size_t... I>
  static std::span<const Step> steps(std::index_sequence<I...>) {
    static constexpr Step list[] = {step_of<AllSlots, I, position_of<A...>(I), A>()...};
    return list;
  }
  // Without steps where nothing of the content is much work.
  static AfterBody after_content(AllSlots& slots) {
    if constexpr ((false || ... || computes_from_body<A>)) {
      return {&finish, steps(Indices{}), &call, &slots.failure};
    } else {
      return {&finish, {}, &call, &slots.failure};
    }
  }

  // False when the request is rejected; violations in the head are kept for those in the content.
  template <Part Which>
  static bool fill(AllSlots& slots, Exchange& exchange) {
    const bool filled = [&]<std::size_t... I>(std::index_sequence<I...>) {
      Request& request = exchange.request();
      return (true && ... &&
              fill_one<Which, I, position_of<A...>(I), A>(slots, request, exchange.arena(), slots.failure));
    }(Indices{});
    if constexpr (Which == Part::Head && collects_from_content) return filled;
    return !slots.failure;
  }

  static Reply run(const void* handler, Exchange& exchange, AllSlots& slots) {
    if (!fill<Part::Head>(slots, exchange)) return Reply(rejected(std::move(*slots.failure), exchange));
    if constexpr (reads_content) {
      if (auto failed = body_failure(exchange, slots.failure)) return Reply(std::move(*failed));
    }
    return finish(handler, exchange, &slots);
  }

  static Reply finish(const void* handler, Exchange& exchange, void* filled) {
    if constexpr (fills_from_content) {
      auto& slots = *static_cast<AllSlots*>(filled);
      if (!fill<Part::Content>(slots, exchange)) return Reply(rejected(std::move(*slots.failure), exchange));
    }
    return call(handler, exchange, filled);
  }

  static Reply call(const void* handler, Exchange& exchange, void* filled) {
    auto& slots = *static_cast<AllSlots*>(filled);
    const F& function = *static_cast<const F*>(handler);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      Request& request = exchange.request();
      if constexpr (AnswersItself<F>) {
        constexpr bool keeps_request = suspends && (takes_views || awaits || keeps_slots);
        return Reply(std::in_place,
                     [&] { return function.answer(request, keeps_request, slot<I, A>(slots).pass(request)...); });
      } else if constexpr (std::is_void_v<R>) {
        function(slot<I, A>(slots).pass(request)...);
        return Reply(Response(Status::NoContent));
      } else if constexpr (std::is_same_v<R, Reply>) {
        return function(slot<I, A>(slots).pass(request)...);
      } else if constexpr (is_task<R> && later) {
        return Reply(respond_after(function(slot<I, A>(slots).pass(request)...), exchange));
      } else if constexpr (later) {
        std::remove_cvref_t<R> result = function(slot<I, A>(slots).pass(request)...);
        return Reply(respond_later(std::move(result), exchange));
      } else if constexpr (is_task<R>) {
        return reply_of(function(slot<I, A>(slots).pass(request)...), exchange);
      } else {
        return Reply(std::in_place, [&] { return respond(function(slot<I, A>(slots).pass(request)...), exchange); });
      }
    }(Indices{});
  }
};

template <class F, class R, class... A>
Endpoint make_endpoint(F handler, TypeList<A...>) {
  using Bound = Binding<F, R, A...>;
  Endpoint endpoint;
  endpoint.invoke = &Bound::invoke;
  endpoint.handler = new F(std::move(handler));
  endpoint.destroy = [](void* dead) noexcept { delete static_cast<F*>(dead); };
  endpoint.needs = needs<ResultOf<std::remove_cvref_t<typename Unwrapped<R>::type>>, std::remove_cvref_t<A>...>;
  endpoint.positional = Parameters<TypeList<A...>>::positional;
  endpoint.reads_body = Bound::reads_content;
  endpoint.streams_body = Bound::takes_stream;
  endpoint.suspends = Bound::suspends;
  endpoint.may_outlast = Bound::awaits || ((Bound::suspends || may_stream<R>) && Bound::takes_views);
  if constexpr (AnswersItself<F>) {
    endpoint.contract = &contract_of<void, std::remove_cvref_t<A>...>;
  } else {
    endpoint.contract = &contract_of<std::remove_cvref_t<typename Unwrapped<R>::type>, std::remove_cvref_t<A>...>;
  }
  return endpoint;
}

// Compile-time errors for an unusable handler. Each is the first error in its case.
template <class F>
Endpoint bind(F handler) {
  using Traits = HandlerTraits<F>;
  static_assert(
      Traits::kind != Callable::Generic,
      "tern: a handler's parameters say what it needs, so it cannot take `auto`, be a template or be overloaded: "
      "name the types");
  static_assert(
      Traits::kind != Callable::Mutable,
      "tern: handlers are shared by all loops and called as const, so a mutable lambda cannot be one: keep what "
      "changes in tern::State or tern::PerLoop");
  static_assert(Traits::kind != Callable::NotCallable,
                "tern: a handler is a function, a lambda, or an object with one const operator()");
  if constexpr (Traits::kind == Callable::Usable) {
    using Arguments = typename Traits::Arguments;
    using Result = typename Traits::Result;
    static_assert(
        Parameters<Arguments>::usable,
        "tern: a handler takes tern::Request&, placeholders (scalars, enums, std::string, std::string_view) and "
        "extractors (tern::Query, tern::Json, …, or a type with a tern::Extract), by value or const reference; one "
        "of its parameters is none of these");
    static_assert(!Parameters<Arguments>::mixed,
                  "tern: a handler takes its placeholders by position or by name (tern::Path), not both ways at once");
    static_assert(
        UsableResult<Result>,
        "tern: a handler returns text, a number, a struct or container that can be written as JSON, "
        "tern::Response, tern::Status, std::optional or std::expected of these, a type with a tern::Respond, or "
        "tern::Task of one; its return type is none of these");
    static_assert(!takes_socket<Arguments>, "tern: only a handler of App::websocket() takes a tern::WebSocket");
    static_assert(takes_content_once<Arguments>,
                  "tern: the content of a request is read once: a handler that takes tern::BodyStream, "
                  "tern::MultipartStream or tern::Multipart takes nothing else that reads the content");
    static_assert(streams_properly<Result, Arguments>,
                  "tern: a handler that takes tern::BodyStream or tern::MultipartStream takes it by value and returns "
                  "a tern::Task");
    if constexpr (Parameters<Arguments>::usable && UsableResult<Result> && !takes_socket<Arguments> &&
                  takes_content_once<Arguments> && streams_properly<Result, Arguments>) {
      return make_endpoint<F, Result>(std::move(handler), Arguments{});
    }
  }
  return {};
}

// A handler whose representation is chosen by Accept; see tern::produces().
template <class F>
struct Produces {
  std::string_view media_type;
  F handler;
};
template <class F>
struct HandlerTraits<Produces<F>> : HandlerTraits<F> {};

template <class F>
Endpoint bind(Produces<F> produces) {
  Endpoint endpoint = bind(std::move(produces.handler));
  endpoint.media_type = produces.media_type;
  return endpoint;
}

}  // namespace tern::app
