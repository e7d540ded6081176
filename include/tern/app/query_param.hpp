// QueryParam: one parameter of the query string as a handler's parameter.
#pragma once

#include <tern/app/extract.hpp>

#include <concepts>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

namespace app {

void default_does_not_fit_the_type_of_the_parameter();

// The default of a QueryParam as a template argument. The primary template is for types without one.
template <class T>
struct ParamDefault {
  static constexpr bool given = false;
};
template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
struct ParamDefault<T> {
  T value{};
  bool given = false;

  consteval ParamDefault() noexcept = default;
  template <class V>
    requires std::convertible_to<V, T>
  consteval ParamDefault(V from)  // NOLINT: a value is a default
      : value(static_cast<T>(from)), given(true) {
    if (static_cast<V>(value) != from) default_does_not_fit_the_type_of_the_parameter();
  }
};
template <class T>
  requires(std::same_as<T, std::string> || std::same_as<T, std::string_view>)
struct ParamDefault<T> {
  char value[64]{};
  bool given = false;

  consteval ParamDefault() noexcept = default;
  template <std::size_t N>
    requires(N <= sizeof(value))
  consteval ParamDefault(const char (&text)[N])  // NOLINT: a literal is a default
      : given(true) {
    for (std::size_t i = 0; i < N; ++i) value[i] = text[i];
  }
};

// The query string's pairs, parsed once for all parameters of a request.
std::expected<Pairs, Rejection> shared_query_pairs(Request& request);

}  // namespace app

// One parameter of the query string: QueryParam<"page", int>. T is a type of a Query<T>'s member: with std::optional it
// may be missing, with a vector it may be repeated. A default, QueryParam<"page", int, 1>, is for text a literal of at
// most 63 characters. 422 that names the parameter if it is missing, repeated or not a T.
template <FixedText Name, class T = std::string_view, app::ParamDefault<T> Default = app::ParamDefault<T>{}>
struct QueryParam : Holder<T> {};

template <FixedText Name, class T, app::ParamDefault<T> Default>
struct Extract<QueryParam<Name, T, Default>> {
  static_assert(app::PairMember<T>,
                "tern: a QueryParam is a scalar, an enum, text, std::optional of these or a vector of them");

  static std::expected<QueryParam<Name, T, Default>, Rejection> from(Request& request)
    requires app::PairMember<T>
  {
    const auto pairs = app::shared_query_pairs(request);
    if (!pairs) return std::unexpected(pairs.error());
    QueryParam<Name, T, Default> parameter{};
    if constexpr (Default.given) parameter.value = Default.value;
    Problem problem{Status::UnprocessableContent, {}, {}, {}};
    app::bind_member(*pairs, Name.view(), Default.given, parameter.value, problem);
    if (problem.errors.empty()) return parameter;
    std::size_t from = 0;
    Rejection rejection(std::move(problem));
    rejection.missing = pairs->find(Name.view(), from) == nullptr;
    return std::unexpected(std::move(rejection));
  }
};

}  // namespace tern
