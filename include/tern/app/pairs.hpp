// Parameters as text: pairs of names and values become the members of a struct, or one value, and are checked against
// their rules.
#pragma once

#include <tern/app/rejection.hpp>
#include <tern/app/text.hpp>
#include <tern/http/fields.hpp>
#include <tern/http/request.hpp>
#include <tern/json/defaults.hpp>
#include <tern/json/reflect.hpp>
#include <tern/json/validate.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern::app {

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
void add_error(Problem& problem, std::string_view name, std::string_view message, std::string_view code = "type");

// The rules of a member, or of json::detail::whole_value, on values that were read. Several values: of a list.
void check_values(const json::detail::CompiledRules& rules, std::size_t member, bool is_list,
                  std::span<const json::detail::ScalarValue> values, std::string_view name, Problem& problem);
// The predicates over a struct.
void check_predicates(const json::detail::CompiledRules& rules, const void* object,
                      std::span<const std::string_view> names, Problem& problem);

template <class T>
concept TextSequence = requires(T& sequence, typename T::value_type item) {
  sequence.push_back(std::move(item));
  requires TextValue<typename T::value_type>;
} && !std::same_as<T, std::string>;

template <class T>
concept OptionalText = requires(T& optional) {
  optional.reset();
  optional.has_value();
  requires TextValue<typename T::value_type>;
};

// Allowed members of a query or form.
template <class M>
concept PairMember = TextValue<M> || OptionalText<M> || TextSequence<M>;

// The double that is written as the float is: 0.1, and not 0.10000000149, which is no multiple of 0.1.
double widened(float value) noexcept;

// A value as the validator sees it.
template <TextValue T>
json::detail::ScalarValue scalar_of(const T& value) {
  using Type = json::detail::ScalarValue::Type;
  json::detail::ScalarValue scalar;
  if constexpr (std::is_enum_v<T>) {
    scalar.type = Type::Text;
    scalar.text = enum_name(value).value_or(std::string_view());
  } else if constexpr (std::is_same_v<T, float>) {
    scalar.type = Type::Fraction;
    scalar.fraction = widened(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    scalar.type = Type::Fraction;
    scalar.fraction = static_cast<double>(value);
  } else if constexpr (base::Integer<T>) {
    const bool fits = std::is_signed_v<T> || static_cast<std::uint64_t>(value) <= std::uint64_t{INT64_MAX};
    scalar.type = fits ? Type::Signed : Type::Unsigned;
    scalar.integer = static_cast<std::int64_t>(value);
    scalar.unsigned_integer = static_cast<std::uint64_t>(value);
  } else if constexpr (!std::is_same_v<T, bool>) {
    scalar.type = Type::Text;
    scalar.text = value;
  }
  return scalar;
}

template <class M>
void check_member(const json::detail::CompiledRules& rules, std::size_t index, std::string_view name, const M& member,
                  Problem& problem) {
  if (!json::detail::has_rules(rules, index)) return;
  if constexpr (TextSequence<M>) {
    std::vector<json::detail::ScalarValue> values;
    for (const auto& item : member) values.push_back(scalar_of<typename M::value_type>(item));
    check_values(rules, index, true, values, name, problem);
  } else if constexpr (OptionalText<M>) {
    if (member.has_value()) check_member(rules, index, name, *member, problem);
  } else {
    const json::detail::ScalarValue value = scalar_of(member);
    check_values(rules, index, false, {&value, 1}, name, problem);
  }
}

template <TextValue T>
bool read_text(std::string_view name, std::string_view text, T& value, Problem& problem) {
  if (from_text(text, value)) return true;
  add_error(problem, name, expectation<T>());
  return false;
}

// True if the member was read from text without an error.
template <PairMember M>
bool bind_member(const Pairs& pairs, std::string_view name, bool may_be_missing, M& member, Problem& problem) {
  std::size_t from = 0;
  const std::size_t before = problem.errors.size();
  const std::string_view* text = pairs.find(name, from);
  const bool found = text != nullptr;
  if constexpr (TextSequence<M>) {
    if (text != nullptr) member.clear();
    for (; text != nullptr; text = pairs.find(name, from)) {
      typename M::value_type item{};
      if (read_text(name, *text, item, problem)) member.push_back(std::move(item));
    }
  } else {
    if (text == nullptr) {
      if (!OptionalText<M> && !may_be_missing) add_error(problem, name, "missing", "missing");
      return false;
    }
    if constexpr (OptionalText<M>) {
      typename M::value_type item{};
      if (read_text(name, *text, item, problem)) member = std::move(item);
    } else {
      read_text(name, *text, member, problem);
    }
    if (pairs.find(name, from) != nullptr) add_error(problem, name, "given more than once", "duplicate");
  }
  return found && problem.errors.size() == before;
}

// One member of a struct, and its rules.
template <class T, std::size_t I, class M>
void bind_and_check(const Pairs& pairs, std::string_view name, M& member, Problem& problem) {
  const bool read = bind_member(pairs, name, json::member_has_default<T, I>(), member, problem);
  if constexpr (json::detail::HasRules<T>) {
    if (read) check_member(json::detail::compiled_rules<T>(), I, name, member, problem);
  }
}

// The predicates over a struct that is valid so far; then the value, or the rejection.
template <class T>
std::expected<T, Rejection> checked(T&& value, Problem& problem, std::string_view in) {
  if constexpr (json::detail::HasRules<T>) {
    if (problem.errors.empty()) {
      check_predicates(json::detail::compiled_rules<T>(), &value, json::member_names<T>(), problem);
    }
  }
  if (problem.errors.empty()) return std::move(value);
  return std::unexpected(parameters_rejected(std::move(problem), in));
}

template <class T>
std::expected<T, Rejection> bind_pairs(const Pairs& pairs, std::string_view in) {
  static_assert(json::Aggregate<T>, "tern: Query<T> and Form<T> take a struct whose members are the names");
  T value{};
  Problem problem{Status::UnprocessableContent, {}, {}, {}};
  json::for_each_member(value, [&](std::string_view name, auto& member, auto index) {
    using M = std::remove_reference_t<decltype(member)>;
    if constexpr (PairMember<M>) {
      bind_and_check<T, index>(pairs, name, member, problem);
    } else {
      static_assert(json::detail::usable_member<T, json::detail::fixed_name<T, index>, M>,
                    "tern: a member of a query or form is a scalar, an enum, text, std::optional of these or a vector "
                    "of them; the one named below is none of these");
    }
  });
  return checked(std::move(value), problem, in);
}

// The rules of a parameter: those of its extractor's type.
template <class Held>
std::expected<Held, Rejection> checked_parameter(Held&& holder, std::string_view name, std::string_view in) {
  if constexpr (json::detail::HasRules<Held>) {
    Problem problem{Status::UnprocessableContent, {}, {}, {}};
    check_member(json::detail::compiled_rules<Held>(), json::detail::whole_value, name, holder.value, problem);
    if (!problem.errors.empty()) return std::unexpected(parameters_rejected(std::move(problem), in));
  }
  return std::move(holder);
}

// Compiles the rules of A, so that a malformed pattern fails the start; null if there are none.
using PrepareRules = void (*)();
template <class A>
consteval PrepareRules prepare_rules() {
  if constexpr (json::detail::HasRules<A>) {
    return [] { static_cast<void>(json::detail::compiled_rules<A>()); };
  } else {
    return nullptr;
  }
}
template <class A>
consteval PrepareRules prepare_rules_of_extractor() {
  if constexpr (requires { Extract<A>::prepare; }) {
    return Extract<A>::prepare;
  } else {
    return nullptr;
  }
}

// A value as text that was found or not.
template <class Held, class T>
std::expected<Held, Rejection> held(std::optional<std::string_view> text, std::string_view kind, std::string_view name,
                                    std::string_view in) {
  static_assert(TextValue<T>, "tern: a field or cookie is read as a scalar, an enum or text");
  if (!text) return std::unexpected(missing(kind, name));
  Held holder{};
  if (!from_text(*text, holder.value)) return std::unexpected(malformed(kind, name, expectation<T>()));
  return checked_parameter(std::move(holder), name, in);
}

}  // namespace tern::app
