// Extractors: types of handler parameters, besides Request& and positional placeholders.
#pragma once

#include <tern/app/contract.hpp>
#include <tern/app/large_value.hpp>
#include <tern/app/pairs.hpp>
#include <tern/app/rejection.hpp>
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
#include <tern/json/rule_tree.hpp>
#include <tern/json/validate.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// An extracted value: *it, it->member, or by conversion.
template <class T>
struct Holder {
  using HeldValue = T;
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
struct Header : Holder<T> {
  using Parameter = Header;  // of a type derived from it
};

// A cookie of the request; the same.
template <FixedText Name, class T = std::string_view>
struct Cookie : Holder<T> {
  using Parameter = Cookie;  // of a type derived from it
};

// A placeholder by name; 404 if its text is not a T. Registration checks that the pattern has it.
template <FixedText Name, class T = std::string_view>
struct Path : Holder<T> {
  using Parameter = Path;  // of a type derived from it
};

// A placeholder by position, with a type of its own, which may have rules: struct Year : tern::Placeholder<int> {};
// 404 if the text is not a T.
template <class T>
struct Placeholder : Holder<T> {
  using PlaceholderType = Placeholder;  // of a type derived from it
  static_assert(app::TextValue<T>, "tern: a placeholder is read as a scalar, an enum or text");
};

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

// Properties that an extractor declares. It reports all that is invalid by a 422 (parameters_rejected()): it is still
// called when another of the handler's has done so, to complete the list. Others are not called then.
template <class A>
concept Collects = requires { requires Extract<A>::collects; };
// It needs the whole content, which is read first.
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

// Derived from Header, Cookie, Path or QueryParam: struct Page : tern::QueryParam<"page", int> {};
template <class P>
concept StrongParameter = requires { typename P::Parameter; } && !std::same_as<P, typename P::Parameter> &&
                          std::derived_from<P, typename P::Parameter>;

// `arena` lives as long as the request's.
template <class A>
auto extract(Request& request, Arena& arena) {
  if constexpr (requires { Extract<A>::from(request, arena); }) {
    return Extract<A>::from(request, arena);
  } else {
    return Extract<A>::from(request);
  }
}

// Unset if the Content-Type is JSON.
std::optional<Rejection> refuse_unless_json(const Request& request);

// The value registered with App, by type key; null if there is none.
const void* find_state(const Request& request, const void* key);
json::Limits json_limits(const Request& request);
void* find_per_loop(const Request& request, const void* key);
// The start has checked the states of handlers, but not those that their extractors use.
[[noreturn]] void throw_nothing_given(std::string_view type);

}  // namespace app

template <class T>
struct Extract<Query<T>> {
  static constexpr app::ParameterContract contract{app::Reads::Query, false, {}, app::schema_of<T>, nullptr, nullptr};
  static constexpr bool collects = true;
  static constexpr app::PrepareRules prepare = app::prepare_rules<T>();
  static std::expected<Query<T>, Rejection> from(Request& request) {
    const auto pairs = app::query_pairs(request);
    if (!pairs) return std::unexpected(pairs.error());
    auto value = app::bind_pairs<T>(*pairs, "query");
    if (!value) return std::unexpected(std::move(value.error()));
    return Query<T>{{std::move(*value)}};
  }
};

template <class T>
struct Extract<Form<T>> {
  static constexpr app::ParameterContract contract{app::Reads::Form, false, {}, app::schema_of<T>, nullptr, nullptr};
  static constexpr bool collects = true;
  static constexpr app::PrepareRules prepare = app::prepare_rules<T>();
  static constexpr bool reads_body = true;
  static constexpr bool computes_from_body = true;
  static std::expected<Form<T>, Rejection> from(Request& request) { return from(request, request.arena()); }
  static std::expected<Form<T>, Rejection> from(Request& request, Arena& arena) {
    const auto pairs = app::form_pairs(request, arena);
    if (!pairs) return std::unexpected(pairs.error());
    auto value = app::bind_pairs<T>(*pairs, "form");
    if (!value) return std::unexpected(std::move(value.error()));
    return Form<T>{{std::move(*value)}};
  }
};

template <class T>
struct Extract<Json<T>> {
  static constexpr app::ParameterContract contract{app::Reads::Json, false, {}, app::schema_of<T>, nullptr, nullptr};
  static constexpr bool collects = true;
  static constexpr app::PrepareRules prepare = &json::compile_all_rules<T>;
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
  auto value = json::read<T>(body(), app::json_limits(*this));
  if (!value) throw HttpError(app::bad_json(value.error()).problem);
  return std::move(*value);
}

template <FixedText Name, class T>
struct Extract<Header<Name, T>> {
  static constexpr app::ParameterContract contract{app::Reads::Header, false,   Name.view(),
                                                   app::schema_of<T>,  nullptr, nullptr};
  static constexpr bool collects = true;
  static_assert(base::is_token(Name.view()), "tern: the name of a header is a token");
  static std::expected<Header<Name, T>, Rejection> from(Request& request) { return make<Header<Name, T>>(request); }
  template <class P>
  static std::expected<P, Rejection> make(Request& request) {
    return app::held<P, T>(request.field(Name.view()), "field", Name.view(), "header");
  }
};

template <FixedText Name, class T>
struct Extract<Cookie<Name, T>> {
  static constexpr app::ParameterContract contract{app::Reads::Cookie, false,   Name.view(),
                                                   app::schema_of<T>,  nullptr, nullptr};
  static constexpr bool collects = true;
  static std::expected<Cookie<Name, T>, Rejection> from(Request& request) { return make<Cookie<Name, T>>(request); }
  template <class P>
  static std::expected<P, Rejection> make(Request& request) {
    return app::held<P, T>(request.cookie(Name.view()), "cookie", Name.view(), "cookie");
  }
};

template <FixedText Name, class T>
struct Extract<Path<Name, T>> {
  static constexpr app::ParameterContract contract{app::Reads::Path,  false,   Name.view(),
                                                   app::schema_of<T>, nullptr, nullptr};
  static constexpr bool collects = true;
  static constexpr std::string_view placeholder = Name.view();
  static std::expected<Path<Name, T>, Rejection> from(Request& request) { return make<Path<Name, T>>(request); }
  template <class P>
  static std::expected<P, Rejection> make(Request& request) {
    static_assert(app::TextValue<T>, "tern: a placeholder is read as a scalar, an enum or text");
    P path{};
    if (!app::from_text(request.parameter(Name.view()).value_or(std::string_view()), path.value)) {
      return std::unexpected(app::parameter_rejected());
    }
    return app::checked_parameter(std::move(path), Name.view(), "path");
  }
};

// A parameter with a type of its own, which may have rules.
template <app::StrongParameter P>
struct Extract<P> : Extract<typename P::Parameter> {
  static constexpr app::ParameterContract contract =
      app::with_rules(Extract<typename P::Parameter>::contract, app::parameter_rules<P>());
  static constexpr app::PrepareRules prepare = app::prepare_rules<P>();
  static std::expected<P, Rejection> from(Request& request) {
    return Extract<typename P::Parameter>::template make<P>(request);
  }
};

// Not an extractor: its position is known to the binding only.
template <app::StrongPlaceholder P>
struct Extract<P> {
  static constexpr app::ParameterContract contract{
      app::Reads::Placeholder,  false, {}, app::schema_of<typename P::HeldValue>, nullptr, nullptr,
      app::parameter_rules<P>()};
  static constexpr app::PrepareRules prepare = app::prepare_rules<P>();
};

template <>
struct Extract<Body> {
  static constexpr app::ParameterContract contract{app::Reads::Bytes, false, {}, nullptr, nullptr, nullptr};
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
  static constexpr app::ParameterContract contract{app::Reads::Bytes, false, {}, nullptr, nullptr, nullptr};
  static constexpr bool streams_body = true;
  static std::expected<BodyStream, Rejection> from(Request& request) { return BodyStream(request.exchange()); }
};

template <>
struct Extract<StopToken> {
  static std::expected<StopToken, Rejection> from(Request& request) { return request.stop(); }
};

namespace app {

// What an extractor or a Respond uses, as its member `static constexpr NeededState needed_state`: the start checks that
// it is there. Either a state, or a middleware around the handler whose class has the key as `static constexpr const
// void* provides`.
struct NeededState {
  std::string_view name;  // "State<KeyRing>"
  const void* key;        // &http::type_key<KeyRing>
  bool is_middleware = false;
  std::string_view given_by = "app.state(…)";
};

// An optional extractor needs the state of its extractor.
template <class T>
struct NeedsOf {};
template <class T>
  requires requires { Extract<T>::needed_state; }
struct NeedsOf<T> {
  static constexpr NeededState needed_state = Extract<T>::needed_state;
};

}  // namespace app

// Any extractor, unset if its value is missing.
template <app::Extractable T>
struct Extract<std::optional<T>> : app::NeedsOf<T> {
  using Result = std::expected<std::optional<T>, Rejection>;
  static constexpr app::ParameterContract contract = app::made_optional(*app::parameter_contract<T>());

  static constexpr bool collects = app::Collects<T>;
  static constexpr app::PrepareRules prepare = app::prepare_rules_of_extractor<T>();
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
