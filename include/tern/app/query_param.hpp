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

// The default as JSON, for the contract; null without one.
template <class T, ParamDefault<T> Default>
consteval auto default_appender() -> void (*)(std::string&) {
  if constexpr (!Default.given) {
    return nullptr;
  } else if constexpr (std::is_same_v<T, bool>) {
    return [](std::string& out) { out += Default.value ? "true" : "false"; };
  } else if constexpr (std::is_enum_v<T>) {
    return [](std::string& out) { json::write(out, enum_name(Default.value).value_or("")); };
  } else if constexpr (base::Integer<T>) {
    return [](std::string& out) { base::append_integer(out, Default.value); };
  } else if constexpr (std::is_floating_point_v<T>) {
    return [](std::string& out) { base::append_number(out, Default.value); };
  } else {
    return [](std::string& out) { json::write(out, std::string_view(Default.value)); };
  }
}

// The query string's pairs, parsed once for all parameters of a request.
std::expected<Pairs, Rejection> shared_query_pairs(Request& request);

}  // namespace app

// One parameter of the query string: QueryParam<"page", int>. T is a type of a Query<T>'s member: with std::optional it
// may be missing, with a vector it may be repeated. A default, QueryParam<"page", int, 1>, is for text a literal of at
// most 63 characters. 422 that names the parameter if it is missing, repeated or not a T.
template <FixedText Name, class T = std::string_view, app::ParamDefault<T> Default = app::ParamDefault<T>{}>
struct QueryParam : Holder<T> {
  using Parameter = QueryParam;  // of a type derived from it
};

template <FixedText Name, class T, app::ParamDefault<T> Default>
struct Extract<QueryParam<Name, T, Default>> {
  static constexpr app::ParameterContract contract{
      app::Reads::QueryParam, false, Name.view(), app::schema_of<T>, app::default_appender<T, Default>(), nullptr};
  static_assert(app::PairMember<T>,
                "tern: a QueryParam is a scalar, an enum, text, std::optional of these or a vector of them");

  static constexpr bool collects = true;
  static std::expected<QueryParam<Name, T, Default>, Rejection> from(Request& request)
    requires app::PairMember<T>
  {
    return make<QueryParam<Name, T, Default>>(request);
  }
  template <class P>
  static std::expected<P, Rejection> make(Request& request) {
    const auto pairs = app::shared_query_pairs(request);
    if (!pairs) return std::unexpected(pairs.error());
    P parameter{};
    if constexpr (Default.given) parameter.value = Default.value;
    Problem problem{Status::UnprocessableContent, {}, {}, {}};
    const bool read = app::bind_member(*pairs, Name.view(), Default.given, parameter.value, problem);
    if (read) return app::checked_parameter(std::move(parameter), Name.view(), "query");
    if (problem.errors.empty()) return parameter;
    std::size_t from = 0;
    Rejection rejection = app::parameters_rejected(std::move(problem), "query");
    rejection.missing = pairs->find(Name.view(), from) == nullptr;
    return std::unexpected(std::move(rejection));
  }
};

}  // namespace tern
