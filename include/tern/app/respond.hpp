// Responders: types of handler results, and their conversion to responses.
#pragma once

#include <tern/app/contract.hpp>
#include <tern/app/handler_traits.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/uri.hpp>
#include <tern/json/write.hpp>

#include <concepts>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

// A user-defined responder: specialise with
//   static tern::Response to(Mine value, tern::Request& request);
// or, if the response has to be awaited, for results of type Mine, std::optional<Mine> and std::expected<Mine, E>:
//   static tern::Task<tern::Response> to(Mine value, tern::Request& request);
template <class T>
struct Respond;

// A 201 with the location of the new resource, and the resource.
template <class T>
struct Created {
  T value;
  std::string location = {};  // no Location field when empty
};
template <class T>
Created(T, std::string = {}) -> Created<T>;

// A value with a status.
template <class T>
struct WithStatus {
  Status status = Status::Ok;
  T value;
};
template <class T>
WithStatus(Status, T) -> WithStatus<T>;

// return tern::created(book, "/books/7");
template <class T>
Created<T> created(T value, std::string location = {}) {
  return {std::move(value), std::move(location)};
}
// return tern::with_status(tern::Status::Accepted, job);
template <class T>
WithStatus<T> with_status(Status status, T value) {
  return {status, std::move(value)};
}

// A redirect. 303 makes the client GET `location`; 307 and 308 repeat the request there.
struct Redirect {
  std::string location;
  Status status = Status::SeeOther;

  operator Response() const { return Response::redirect(location, status); }  // NOLINT: it is one
};
inline Redirect redirect(std::string location, Status status = Status::SeeOther) {
  return {std::move(location), status};
}

namespace app {

template <class T>
concept CustomResponder = requires(T value, Request& request) {
  { Respond<T>::to(std::move(value), request) } -> std::same_as<Response>;
};

template <class T>
concept AwaitedResponder = requires(T value, Request& request) {
  { Respond<T>::to(std::move(value), request) } -> std::same_as<Task<Response>>;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_expected = false;
template <class T, class E>
inline constexpr bool is_expected<std::expected<T, E>> = true;
template <class T>
inline constexpr bool is_created = false;
template <class T>
inline constexpr bool is_created<Created<T>> = true;
template <class T>
inline constexpr bool is_with_status = false;
template <class T>
inline constexpr bool is_with_status<WithStatus<T>> = true;
template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<Task<T>> = true;

template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<Task<T>> {
  using type = T;
};

template <class T>
concept TextResult = std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
                     std::same_as<T, const char*> || std::same_as<T, char*>;

template <class T>
concept BuiltInResult =
    std::is_void_v<T> || std::same_as<T, Response> || std::same_as<T, Status> || std::same_as<T, Problem> ||
    std::same_as<T, HttpError> || std::same_as<T, Redirect> || std::same_as<T, Body> || TextResult<T>;

// Whether the response to a result has to be awaited.
template <class T>
inline constexpr bool responds_later = AwaitedResponder<T>;
template <class T>
inline constexpr bool responds_later<std::optional<T>> = AwaitedResponder<T>;
template <class T, class E>
inline constexpr bool responds_later<std::expected<T, E>> = AwaitedResponder<T>;

template <class T>
consteval bool can_respond();
template <class T>
consteval bool can_respond_now() {
  return can_respond<T>() && !responds_later<T>;
}

template <class T>
consteval bool can_respond() {
  if constexpr (BuiltInResult<T> || CustomResponder<T> || responds_later<T>) {
    return true;
  } else if constexpr (is_expected<T>) {
    return can_respond_now<typename T::value_type>();
  } else if constexpr (is_optional<T>) {
    return can_respond_now<typename T::value_type>();
  } else if constexpr (is_created<T> || is_with_status<T>) {
    return can_respond_now<std::remove_cvref_t<decltype(std::declval<T>().value)>>();
  } else {
    return json::detail::shape<T> != json::detail::Shape::None;
  }
}

// Whether a handler may return R: a reply, a task of a result, or a result.
template <class R>
concept UsableResult = std::same_as<R, Reply> || can_respond<std::remove_cvref_t<typename Unwrapped<R>::type>>();

template <class T>
inline constexpr bool describes_itself = requires(Operation& operation) { Respond<T>::describe(operation); };

template <class R>
consteval ResultContract make_result_contract();

// The responses that a result of type R allows; R is no reference and no task.
template <class R>
inline constexpr ResultContract result_contract = make_result_contract<R>();

// Of the error of a std::expected; see respond_error().
template <class E>
consteval ResultContract make_error_contract() {
  if constexpr (CustomResponder<E> || (BuiltInResult<E> && !TextResult<E> && !std::same_as<E, Body>)) {
    return make_result_contract<E>();
  } else {
    return {.responds = Responds::Mapped, .key = &http::type_key<E>};
  }
}
template <class E>
inline constexpr ResultContract error_contract = make_error_contract<E>();

template <class R>
consteval ResultContract make_result_contract() {
  if constexpr (std::is_void_v<R>) {
    return {.responds = Responds::Empty};
  } else if constexpr (std::same_as<R, Response> || std::same_as<R, Reply>) {
    return {};
  } else if constexpr (CustomResponder<R> || AwaitedResponder<R>) {
    if constexpr (describes_itself<R>) return {.responds = Responds::Described, .describe = &Respond<R>::describe};
    return {};
  } else if constexpr (std::same_as<R, Body>) {
    return {.responds = Responds::Bytes};
  } else if constexpr (TextResult<R>) {
    return {.responds = Responds::Text};
  } else if constexpr (std::same_as<R, Status>) {
    return {.responds = Responds::Status};
  } else if constexpr (std::same_as<R, Problem> || std::same_as<R, HttpError>) {
    return {.responds = Responds::Problem};
  } else if constexpr (std::same_as<R, Redirect>) {
    return {.responds = Responds::Redirect};
  } else if constexpr (is_expected<R>) {
    return {.responds = Responds::Expected,
            .of = &result_contract<std::remove_cvref_t<typename R::value_type>>,
            .error = &error_contract<std::remove_cvref_t<typename R::error_type>>};
  } else if constexpr (is_optional<R>) {
    return {.responds = Responds::Optional, .of = &result_contract<std::remove_cvref_t<typename R::value_type>>};
  } else if constexpr (is_created<R> || is_with_status<R>) {
    using Value = std::remove_cvref_t<decltype(std::declval<R>().value)>;
    return {.responds = is_created<R> ? Responds::Created : Responds::AnyStatus, .of = &result_contract<Value>};
  } else {
    return {.responds = Responds::Json, .schema = &json::SchemaOf<R>::value};
  }
}

Response text_response(std::string_view text, Exchange& exchange);  // copies
Response bytes_response(std::string_view bytes, Exchange& exchange);
Response json_response(std::string text);
Response missing_response(Exchange& exchange);
Response problem_response(const Problem& problem, Exchange& exchange);
// The error of a std::expected that is not a response itself.
struct DomainError {
  const void* key = nullptr;
  const void* value = nullptr;
  std::string_view type;
  void (*raise)(const void* value) = nullptr;  // throws a copy, to find a mapping of a base class
};
// The response of the mapping in App::on_error(); a logged 500 if there is none.
Response domain_error_response(const DomainError& error, Exchange& exchange);

template <class T>
Response respond(T&& result, Exchange& exchange);

template <class E>
Response respond_error(E&& error, Exchange& exchange) {
  using Error = std::remove_cvref_t<E>;
  // Text could be an error, but has no status.
  constexpr bool is_text = TextResult<Error> || std::same_as<Error, Body>;
  if constexpr (CustomResponder<Error> || (BuiltInResult<Error> && !is_text)) {
    return respond(std::forward<E>(error), exchange);
  } else {
    DomainError domain{&http::type_key<Error>, &error, type_name<Error>()};
    if constexpr (std::is_class_v<Error> && std::is_copy_constructible_v<Error>) {
      domain.raise = [](const void* value) { throw *static_cast<const Error*>(value); };
    }
    return domain_error_response(domain, exchange);
  }
}

template <class T>
Response respond(T&& result, Exchange& exchange) {
  using Result = std::remove_cvref_t<T>;
  if constexpr (std::same_as<Result, Response>) {
    return std::forward<T>(result);
  } else if constexpr (CustomResponder<Result>) {
    return Respond<Result>::to(std::forward<T>(result), exchange.request());
  } else if constexpr (std::same_as<Result, std::string>) {
    return Response::text(std::forward<T>(result));
  } else if constexpr (std::same_as<Result, std::string_view> || std::same_as<Result, char*>) {
    return text_response(result, exchange);
  } else if constexpr (TextResult<Result>) {
    return Response::borrowed_text(result);  // a literal
  } else if constexpr (std::same_as<Result, Body>) {
    return bytes_response(result.bytes, exchange);
  } else if constexpr (std::same_as<Result, Status>) {
    return code(result) < 400 ? Response(result) : problem_response({result, {}, {}, {}}, exchange);
  } else if constexpr (std::same_as<Result, Problem>) {
    return problem_response(result, exchange);
  } else if constexpr (std::same_as<Result, HttpError>) {
    return problem_response(result.problem(), exchange);
  } else if constexpr (std::same_as<Result, Redirect>) {
    return result;
  } else if constexpr (is_expected<Result>) {
    if (!result) return respond_error(std::forward<T>(result).error(), exchange);
    if constexpr (std::is_void_v<typename Result::value_type>) {
      return Response(Status::NoContent);
    } else {
      return respond(*std::forward<T>(result), exchange);
    }
  } else if constexpr (is_optional<Result>) {
    if (!result) return missing_response(exchange);
    return respond(*std::forward<T>(result), exchange);
  } else if constexpr (is_created<Result>) {
    Response response = respond(std::forward<T>(result).value, exchange);
    if (code(response.status()) >= 400) return response;  // std::nullopt, for example, was not created
    response.status(Status::Created);
    if (!result.location.empty()) response.set("location", escape_uri(result.location));
    return response;
  } else if constexpr (is_with_status<Result>) {
    Response response = respond(std::forward<T>(result).value, exchange);
    if (code(response.status()) < 400) response.status(result.status);
    return response;
  } else {
    std::string text = exchange.take_scratch();
    json::write(text, result);
    return json_response(std::move(text));
  }
}

template <class T>
Task<Response> respond_later(T result, Exchange& exchange) {
  if constexpr (is_optional<T>) {
    if (!result) co_return missing_response(exchange);
    auto task = respond_later(std::move(*result), exchange);
    co_return co_await std::move(task);
  } else if constexpr (is_expected<T>) {
    if (!result) co_return respond_error(std::move(result).error(), exchange);
    auto task = respond_later(std::move(*result), exchange);
    co_return co_await std::move(task);
  } else {
    auto task = Respond<T>::to(std::move(result), exchange.request());
    co_return co_await std::move(task);
  }
}

// The same for the result of a task.
template <class T>
Task<Response> respond_after(Task<T> handler, Exchange& exchange) {
  auto result = co_await std::move(handler);
  auto task = respond_later(std::move(result), exchange);
  co_return co_await std::move(task);
}

}  // namespace app
}  // namespace tern
