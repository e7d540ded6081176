// The argument of App::on_error: a function that maps an exception, or the error of a std::expected, to a response.
#pragma once

#include <tern/app/handler_traits.hpp>
#include <tern/app/respond.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/problem.hpp>
#include <tern/http/reply.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace tern::app {

// The argument of App::on_error.
struct ErrorMapping {
  const void* key = nullptr;
  bool of_http_errors = false;  // its type is HttpError or derived from it
  void* function = nullptr;
  void (*destroy)(void*) noexcept = nullptr;
  std::optional<Response> (*from_exception)(const void* function,
                                            Exchange& exchange) = nullptr;  // for the exception being handled
  Response (*from_value)(const void* function, const void* error, Exchange& exchange) = nullptr;
  const ResultContract* result = nullptr;
};

template <class R, class E>
consteval bool is_error_mapping(TypeList<E>) {
  if constexpr (std::is_void_v<R> || std::is_same_v<R, Reply> || is_task<R> || responds_later<R>) return false;
  return UsableResult<R> && (!std::is_reference_v<E> || std::is_const_v<std::remove_reference_t<E>>);
}
template <class R, class E>
consteval bool is_error_mapping(TypeList<E, const Request&>) {
  return is_error_mapping<R>(TypeList<E>{});
}
template <class R, class... E>
consteval bool is_error_mapping(TypeList<E...>) {
  return false;
}

template <class F, class E>
auto call_error_mapping(const F& mapping, const E& error, const Request& request) {
  if constexpr (std::is_invocable_v<const F&, const E&>) {
    return mapping(error);
  } else {
    return mapping(error, request);
  }
}

template <class F>
consteval bool usable_error_mapping() {
  if constexpr (HandlerTraits<F>::kind == Callable::Usable) {
    return is_error_mapping<typename HandlerTraits<F>::Result>(typename HandlerTraits<F>::Arguments{});
  } else {
    return false;
  }
}

template <class F, class E, class... Rest>
ErrorMapping make_error_mapping(F mapping, TypeList<E, Rest...>) {
  using Error = std::remove_cvref_t<E>;
  ErrorMapping entry;
  entry.key = &http::type_key<Error>;
  entry.of_http_errors = std::is_base_of_v<HttpError, Error>;
  entry.function = new F(std::move(mapping));
  entry.destroy = [](void* dead) noexcept { delete static_cast<F*>(dead); };
  entry.from_exception = [](const void* function, Exchange& exchange) -> std::optional<Response> {
    try {
      throw;
    } catch (const Error& error) {
      return respond(call_error_mapping(*static_cast<const F*>(function), error, exchange.request()), exchange);
    } catch (...) {
      return std::nullopt;
    }
  };
  entry.from_value = [](const void* function, const void* error, Exchange& exchange) {
    return respond(
        call_error_mapping(*static_cast<const F*>(function), *static_cast<const Error*>(error), exchange.request()),
        exchange);
  };
  entry.result = &result_contract<std::remove_cvref_t<typename HandlerTraits<F>::Result>>;
  return entry;
}

}  // namespace tern::app
