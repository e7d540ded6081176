// Extractors: types of handler parameters, besides Request& and positional placeholders.
#pragma once

#include <tern/app/large_value.hpp>
#include <tern/app/text.hpp>
#include <tern/base/ascii.hpp>
#include <tern/base/fixed_text.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/body_stream.hpp>
#include <tern/http/exchange.hpp>
#include <tern/json/defaults.hpp>
#include <tern/json/read.hpp>
#include <tern/json/reflect.hpp>

#include <concepts>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

// Why an extractor fails; converted to a response. A missing value is nullopt for a std::optional parameter; a
// malformed one is rejected even then.
struct Rejection {
  Problem problem;
  bool missing = false;

  Rejection(Status status, std::string detail) {
    problem.status = status;
    problem.detail = std::move(detail);
  }
  explicit Rejection(Problem why) : problem(std::move(why)) {}

  static Rejection absent(Status status, std::string detail) {
    Rejection rejection(status, std::move(detail));
    rejection.missing = true;
    return rejection;
  }
  // Content of an unsupported media type: 415 with Accept (RFC 9110, section 15.5.16).
  static Rejection unsupported_media_type(std::string_view taken);
};

// An extracted value: *it, it->member, or by conversion.
template <class T>
struct Holder {
  T value;

  T& operator*() noexcept { return value; }
  const T& operator*() const noexcept { return value; }
  T* operator->() noexcept { return &value; }
  const T* operator->() const noexcept { return &value; }
  operator T&() & noexcept { return value; }             // NOLINT: its value
  operator const T&() const& noexcept { return value; }  // NOLINT
};

// The query string as a struct, whose members are found by name. Members may be scalars, enums, text, std::optional of
// them, or vectors (for repeated names). 422 lists every invalid or missing member; a member with a default may be
// missing (see json/defaults.hpp). Ignores names that T does not have.
template <class T>
struct Query : Holder<T> {};

// The content as JSON. 415 for another Content-Type, 400 if it is not JSON, 422 with every invalid member if it is JSON
// but not a T. Content of 256 KiB or more is read on a thread of the app's pool: the T is constructed there, and
// destroyed there unless it is moved from; 503 if the pool's queue is full.
template <class T>
struct Json : Holder<T>, app::MaybeLarge<Json<T>> {
  Json() = default;
  Json(Holder<T> held) : Holder<T>(std::move(held)) {}  // NOLINT: Json<T>{{value}}, like the others
};

// The content as application/x-www-form-urlencoded; as Query<T>, and on the pool as Json<T>.
template <class T>
struct Form : Holder<T> {};

// A field of the request; 400 if it is missing or not a T.
template <FixedText Name, class T = std::string_view>
struct Header : Holder<T> {};

// A cookie of the request; the same.
template <FixedText Name, class T = std::string_view>
struct Cookie : Holder<T> {};

// A placeholder by name; 404 if its text is not a T. Registration checks that the pattern has it.
template <FixedText Name, class T = std::string_view>
struct Path : Holder<T> {};

// The value of App::state(), shared by all loops and therefore const. For mutable data, use a state that points to it,
// or one that synchronises itself in const functions. The start checks that it was registered.
template <class T>
class State {
public:
  explicit State(const T& value) noexcept : value_(&value) {}
  const T& operator*() const noexcept { return *value_; }
  const T* operator->() const noexcept { return value_; }

private:
  const T* value_;
};

// The loop's T, made by the factory of App::per_loop() at its first use. No other thread uses it.
template <class T>
class PerLoop {
public:
  explicit PerLoop(T& value) noexcept : value_(&value) {}
  T& operator*() const noexcept { return *value_; }
  T* operator->() const noexcept { return value_; }

private:
  T* value_;
};

namespace app {

// Properties that an extractor declares. It needs the whole content, which is read first.
template <class A>
concept ReadsBody = requires { requires Extract<A>::reads_body; };
// It does much work for large content, and uses only the request: it may run on a thread of the pool. There it must not
// use the request's arena, which belongs to the loop, but the arena passed to from(request, arena).
template <class A>
concept ComputesFromBody = requires { requires Extract<A>::computes_from_body; };
// It streams the content by its own BodyStream: no other parameter may use the content.
template <class A>
concept StreamsBody = requires { requires Extract<A>::streams_body; };
// Its from() returns a Task<std::expected<A, Rejection>>, so that it may wait. The handler is called afterwards.
template <class A>
concept Awaited = requires(Request& request) { typename decltype(Extract<A>::from(request))::promise_type; };

// `arena` lives as long as the request's.
template <class A>
auto extract(Request& request, Arena& arena) {
  if constexpr (requires { Extract<A>::from(request, arena); }) {
    return Extract<A>::from(request, arena);
  } else {
    return Extract<A>::from(request);
  }
}

// Decoded names and values: "a=1&b=2", or the fields of a form.
class Pairs {
public:
  Pairs() noexcept = default;
  explicit Pairs(std::span<const Field> items) noexcept : items_(items) {}
  static std::expected<Pairs, Rejection> parse(std::string_view text, Arena& arena);

  // The first value of that name at or after `from`, which moves past it; null at the end.
  const std::string_view* find(std::string_view name, std::size_t& from) const noexcept;

private:
  std::span<const Field> items_;
};

std::expected<Pairs, Rejection> query_pairs(Request& request);
std::expected<Pairs, Rejection> form_pairs(Request& request, Arena& arena);
void add_error(Problem& problem, std::string_view name, std::string_view message);
Rejection bad_json(const json::Error& error);
// Unset if the Content-Type is JSON.
std::optional<Rejection> refuse_unless_json(const Request& request);
Rejection missing(std::string_view kind, std::string_view name);
Rejection malformed(std::string_view kind, std::string_view name, std::string_view expectation);
Rejection parameter_rejected();

// The value registered with App, by type key; null if there is none.
const void* find_state(const Request& request, const void* key);
json::Limits json_limits(const Request& request);
void* find_per_loop(const Request& request, const void* key);
// The start has checked the states of handlers, but not those that their extractors use.
[[noreturn]] void throw_nothing_given(std::string_view type);

template <class T>
concept TextSequence = requires(T& sequence, typename T::value_type item) {
  sequence.push_back(std::move(item));
  requires Positional<typename T::value_type>;
} && !std::same_as<T, std::string>;

template <class T>
concept OptionalText = requires(T& optional) {
  optional.reset();
  optional.has_value();
  requires Positional<typename T::value_type>;
};

// Allowed members of a query or form.
template <class M>
concept PairMember = Positional<M> || OptionalText<M> || TextSequence<M>;

template <Positional T>
bool read_text(std::string_view name, std::string_view text, T& value, Problem& problem) {
  if (from_text(text, value)) return true;
  add_error(problem, name, expectation<T>());
  return false;
}

template <PairMember M>
void bind_member(const Pairs& pairs, std::string_view name, bool may_be_missing, M& member, Problem& problem) {
  std::size_t from = 0;
  const std::string_view* text = pairs.find(name, from);
  if constexpr (TextSequence<M>) {
    if (text != nullptr) member.clear();
    for (; text != nullptr; text = pairs.find(name, from)) {
      typename M::value_type item{};
      if (read_text(name, *text, item, problem)) member.push_back(std::move(item));
    }
    return;
  } else {
    if (text == nullptr) {
      if (!OptionalText<M> && !may_be_missing) add_error(problem, name, "missing");
      return;
    }
    if constexpr (OptionalText<M>) {
      typename M::value_type item{};
      if (read_text(name, *text, item, problem)) member = std::move(item);
    } else {
      read_text(name, *text, member, problem);
    }
    if (pairs.find(name, from) != nullptr) add_error(problem, name, "given more than once");
  }
}

template <class T>
std::expected<T, Rejection> bind_pairs(const Pairs& pairs) {
  static_assert(json::Aggregate<T>, "tern: Query<T> and Form<T> take a struct whose members are the names");
  T value{};
  Problem problem{Status::UnprocessableContent, {}, {}, {}};
  json::for_each_member(value, [&](std::string_view name, auto& member, auto index) {
    using M = std::remove_reference_t<decltype(member)>;
    if constexpr (PairMember<M>) {
      bind_member(pairs, name, json::member_has_default<T, index>(), member, problem);
    } else {
      static_assert(json::detail::usable_member<T, json::detail::fixed_name<T, index>, M>,
                    "tern: a member of a query or form is a scalar, an enum, text, std::optional of these or a vector "
                    "of them; the one named below is none of these");
    }
  });
  if (problem.errors.empty()) return value;
  return std::unexpected(Rejection(std::move(problem)));
}

// A value as text that was found or not.
template <class Held, class T>
std::expected<Held, Rejection> held(std::optional<std::string_view> text, std::string_view kind,
                                    std::string_view name) {
  static_assert(Positional<T>, "tern: a field or cookie is read as a scalar, an enum or text");
  if (!text) return std::unexpected(missing(kind, name));
  Held holder{};
  if (!from_text(*text, holder.value)) return std::unexpected(malformed(kind, name, expectation<T>()));
  return holder;
}

}  // namespace app

template <class T>
struct Extract<Query<T>> {
  static std::expected<Query<T>, Rejection> from(Request& request) {
    const auto pairs = app::query_pairs(request);
    if (!pairs) return std::unexpected(pairs.error());
    auto value = app::bind_pairs<T>(*pairs);
    if (!value) return std::unexpected(std::move(value.error()));
    return Query<T>{{std::move(*value)}};
  }
};

template <class T>
struct Extract<Form<T>> {
  static constexpr bool reads_body = true;
  static constexpr bool computes_from_body = true;
  static std::expected<Form<T>, Rejection> from(Request& request) { return from(request, request.arena()); }
  static std::expected<Form<T>, Rejection> from(Request& request, Arena& arena) {
    const auto pairs = app::form_pairs(request, arena);
    if (!pairs) return std::unexpected(pairs.error());
    auto value = app::bind_pairs<T>(*pairs);
    if (!value) return std::unexpected(std::move(value.error()));
    return Form<T>{{std::move(*value)}};
  }
};

template <class T>
struct Extract<Json<T>> {
  static constexpr bool reads_body = true;
  static constexpr bool computes_from_body = true;
  static std::expected<Json<T>, Rejection> from(Request& request) {
    if (auto refused = app::refuse_unless_json(request)) return std::unexpected(std::move(*refused));
    auto value = json::read<T>(request.body(), app::json_limits(request));
    if (!value) return std::unexpected(app::bad_json(value.error()));
    Json<T> json{{std::move(*value)}};
    json.came_from(request.body().size());
    return json;
  }
};

template <class T>
T Request::json() const {
  if (auto refused = app::refuse_unless_json(*this)) throw HttpError(std::move(refused->problem));
  auto value = json::read<T>(body());
  if (!value) throw HttpError(app::bad_json(value.error()).problem);
  return std::move(*value);
}

template <FixedText Name, class T>
struct Extract<Header<Name, T>> {
  static_assert(base::is_token(Name.view()), "tern: the name of a header is a token");
  static std::expected<Header<Name, T>, Rejection> from(Request& request) {
    return app::held<Header<Name, T>, T>(request.field(Name.view()), "field", Name.view());
  }
};

template <FixedText Name, class T>
struct Extract<Cookie<Name, T>> {
  static std::expected<Cookie<Name, T>, Rejection> from(Request& request) {
    return app::held<Cookie<Name, T>, T>(request.cookie(Name.view()), "cookie", Name.view());
  }
};

template <FixedText Name, class T>
struct Extract<Path<Name, T>> {
  static constexpr std::string_view placeholder = Name.view();
  static std::expected<Path<Name, T>, Rejection> from(Request& request) {
    static_assert(app::Positional<T>, "tern: a placeholder is read as a scalar, an enum or text");
    Path<Name, T> path{};
    if (!app::from_text(request.parameter(Name.view()).value_or(std::string_view()), path.value)) {
      return std::unexpected(app::parameter_rejected());
    }
    return path;
  }
};

template <>
struct Extract<Body> {
  static constexpr bool reads_body = true;
  static std::expected<Body, Rejection> from(Request& request) { return Body{request.body()}; }
};

template <class T>
struct Extract<State<T>> {
  static constexpr const void* state_key = &http::type_key<T>;
  static std::expected<State<T>, Rejection> from(Request& request) {
    const void* state = app::find_state(request, state_key);
    if (state == nullptr) app::throw_nothing_given(app::type_name<State<T>>());
    return State<T>(*static_cast<const T*>(state));
  }
};

template <class T>
struct Extract<PerLoop<T>> {
  static constexpr const void* per_loop_key = &http::type_key<T>;
  static std::expected<PerLoop<T>, Rejection> from(Request& request) {
    void* value = app::find_per_loop(request, per_loop_key);
    if (value == nullptr) app::throw_nothing_given(app::type_name<PerLoop<T>>());
    return PerLoop<T>(*static_cast<T*>(value));
  }
};

template <>
struct Extract<BodyStream> {
  static constexpr bool streams_body = true;
  static std::expected<BodyStream, Rejection> from(Request& request) { return BodyStream(request.exchange()); }
};

template <>
struct Extract<StopToken> {
  static std::expected<StopToken, Rejection> from(Request& request) { return request.stop(); }
};

// Any extractor, unset if its value is missing.
template <app::Extractable T>
struct Extract<std::optional<T>> {
  using Result = std::expected<std::optional<T>, Rejection>;

  static constexpr bool reads_body = app::ReadsBody<T>;
  static constexpr bool computes_from_body = app::ComputesFromBody<T>;
  static constexpr bool streams_body = app::StreamsBody<T>;

  static Result from(Request& request)
    requires(!app::Awaited<T>)
  {
    return from(request, request.arena());
  }
  static Result from(Request& request, Arena& arena)
    requires(!app::Awaited<T>)
  {
    if constexpr (requires { Extract<T>::state_key; }) {
      if (app::find_state(request, Extract<T>::state_key) == nullptr) return std::optional<T>();
    }
    if constexpr (requires { Extract<T>::per_loop_key; }) {
      if (app::find_per_loop(request, Extract<T>::per_loop_key) == nullptr) return std::optional<T>();
    }
    return unless_missing(app::extract<T>(request, arena));
  }
  static Task<Result> from(Request& request)
    requires app::Awaited<T>
  {
    co_return unless_missing(co_await Extract<T>::from(request));
  }

private:
  static Result unless_missing(std::expected<T, Rejection> found) {
    if (found) return std::optional<T>(std::move(*found));
    if (found.error().missing) return std::optional<T>();
    return std::unexpected(std::move(found.error()));
  }
};

}  // namespace tern
