// Whether rules can hold, found while compiling: what rules.hpp calls to make them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <tern/json/rule.hpp>
#include <tern/json/shape.hpp>

namespace tern::json {

// Rules that are not at their member yet.
template <std::size_t N>
struct RuleSet {
  Rule items[N == 0 ? 1 : N]{};
  static constexpr std::size_t size = N;
};

// Rules of members of Struct.
template <class Struct, std::size_t N>
struct MemberRules {
  Rule items[N == 0 ? 1 : N]{};
  static constexpr std::size_t size = N;
};

namespace detail {

// Called for a rule that cannot hold. They have no definition: the compiler names them in its error, since they are no
// constant expressions.
void this_minimum_is_above_its_maximum();
void this_limit_is_not_a_number();
void this_divisor_is_not_above_zero();
void this_text_is_empty();
void a_rule_for_numbers_is_at_a_member_that_is_none();
void a_rule_for_text_is_at_a_member_that_is_none();
void a_rule_for_arrays_is_at_a_member_that_is_none();
void a_rule_for_maps_is_at_a_member_that_is_none();
void each_is_at_a_member_without_elements();
void no_value_of_the_type_of_this_member_is_within_its_limits();
void rules_on_members_stand_at_a_type_that_is_not_read_by_its_members();
void this_allowed_value_is_not_of_the_type_of_its_member();

template <class T>
struct PointerToMember;
template <class S, class M>
struct PointerToMember<M S::*> {
  using Struct = S;
  using Member = M;
};

// What each() is about: elements, mapped values; void if there are none.
template <class T>
struct ElementOf {
  using Type = void;
};
template <class T>
  requires(shape<T> == Shape::Optional)
struct ElementOf<T> : ElementOf<typename T::value_type> {};
template <class T>
  requires(shape<T> == Shape::Pointer)
struct ElementOf<T> : ElementOf<typename T::element_type> {};
template <class T>
  requires(shape<T> == Shape::Sequence || shape<T> == Shape::Set || shape<T> == Shape::Array || shape<T> == Shape::View)
struct ElementOf<T> {
  using Type = std::remove_cv_t<typename T::value_type>;
};
template <class T>
  requires(shape<T> == Shape::Map)
struct ElementOf<T> {
  using Type = std::remove_cv_t<typename T::mapped_type>;
};

// The least and the greatest value of an integer type; none for other types.
struct Bounds {
  bool known = false;
  RuleNumber min = {};
  RuleNumber max = {};
};

template <class T>
consteval Bounds bounds_of() {
  if constexpr (shape<T> == Shape::Optional) {
    return bounds_of<typename T::value_type>();
  } else if constexpr (shape<T> == Shape::Integer) {
    return {true, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  } else {
    return {};
  }
}

// The kinds of JSON of T, or of its elements, without null. None: any.
template <class T>
consteval Kinds kinds_at(std::size_t depth) {
  if (depth == 0) return static_cast<Kinds>(static_cast<unsigned>(kinds_of<T>()) & ~static_cast<unsigned>(Kinds::Null));
  using Element = typename ElementOf<T>::Type;
  if constexpr (std::is_void_v<Element>) {
    each_is_at_a_member_without_elements();
    return Kinds::None;
  } else {
    return kinds_at<Element>(depth - 1);
  }
}

constexpr bool holds_any(Kinds kinds, Kinds some) {
  return kinds == Kinds::None || (kinds & some) != Kinds::None;
}

// Whether a < b; exact for integers.
constexpr bool is_less(const RuleNumber& a, const RuleNumber& b) {
  using Type = RuleNumber::Type;
  if (a.type == Type::Signed && b.type == Type::Signed) return a.integer < b.integer;
  if (a.type == Type::Unsigned && b.type == Type::Unsigned) return a.unsigned_integer < b.unsigned_integer;
  if (a.type != Type::Fraction && b.type != Type::Fraction) return a.type == Type::Signed;
  return a.wide() < b.wide();
}

consteval void fit_number(const Rule& rule, Kinds kinds) {
  if (!holds_any(kinds, Kinds::Number)) a_rule_for_numbers_is_at_a_member_that_is_none();
  const double limit = rule.number.approximate();
  if (!(limit - limit == 0)) this_limit_is_not_a_number();  // infinite, or NaN
}

consteval void fit_to_bounds(const Rule& rule, const Bounds& bounds) {
  const RuleNumber& limit = rule.number;
  switch (rule.kind) {
    case RuleKind::Minimum:
      if (is_less(bounds.max, limit)) no_value_of_the_type_of_this_member_is_within_its_limits();
      break;
    case RuleKind::Maximum:
      if (is_less(limit, bounds.min)) no_value_of_the_type_of_this_member_is_within_its_limits();
      break;
    case RuleKind::ExclusiveMinimum:
      if (!is_less(limit, bounds.max)) no_value_of_the_type_of_this_member_is_within_its_limits();
      break;
    case RuleKind::ExclusiveMaximum:
      if (!is_less(bounds.min, limit)) no_value_of_the_type_of_this_member_is_within_its_limits();
      break;
    case RuleKind::OneOf:
      if (limit.type == RuleNumber::Type::Fraction || is_less(limit, bounds.min) || is_less(bounds.max, limit)) {
        this_allowed_value_is_not_of_the_type_of_its_member();
      }
      break;
    default: break;
  }
}

consteval void fit_kind(const Rule& rule, Kinds kinds) {
  switch (rule.kind) {
    case RuleKind::Minimum:
    case RuleKind::Maximum:
    case RuleKind::ExclusiveMinimum:
    case RuleKind::ExclusiveMaximum:
    case RuleKind::MultipleOf: return fit_number(rule, kinds);
    case RuleKind::MinLength:
    case RuleKind::MaxLength:
    case RuleKind::Pattern:
    case RuleKind::Format:
      if (!holds_any(kinds, Kinds::String)) a_rule_for_text_is_at_a_member_that_is_none();
      return;
    case RuleKind::MinItems:
    case RuleKind::MaxItems:
    case RuleKind::UniqueItems:
      if (!holds_any(kinds, Kinds::Array)) a_rule_for_arrays_is_at_a_member_that_is_none();
      return;
    case RuleKind::MinProperties:
    case RuleKind::MaxProperties:
      if (!holds_any(kinds, Kinds::Object)) a_rule_for_maps_is_at_a_member_that_is_none();
      return;
    case RuleKind::OneOf: {
      const bool is_text = rule.number.type == RuleNumber::Type::None;
      if (!holds_any(kinds, is_text ? Kinds::String : Kinds::Number)) {
        this_allowed_value_is_not_of_the_type_of_its_member();
      }
      return;
    }
    default: return;
  }
}

template <class T>
consteval void fit(const Rule& rule) {
  fit_kind(rule, kinds_at<T>(rule.depth));
  if (rule.depth != 0) return;
  constexpr Bounds bounds = bounds_of<T>();
  if (bounds.known) fit_to_bounds(rule, bounds);
}

// Whether `low` may not stand beside `high`, both at one value.
consteval bool contradicts(const Rule& low, const Rule& high) {
  const bool numbers = (low.kind == RuleKind::Minimum || low.kind == RuleKind::ExclusiveMinimum) &&
                       (high.kind == RuleKind::Maximum || high.kind == RuleKind::ExclusiveMaximum);
  const bool counts = (low.kind == RuleKind::MinLength && high.kind == RuleKind::MaxLength) ||
                      (low.kind == RuleKind::MinItems && high.kind == RuleKind::MaxItems) ||
                      (low.kind == RuleKind::MinProperties && high.kind == RuleKind::MaxProperties);
  if (low.depth != high.depth || !(numbers || counts)) return false;
  const bool exclusive = low.kind == RuleKind::ExclusiveMinimum || high.kind == RuleKind::ExclusiveMaximum;
  return is_less(high.number, low.number) || (exclusive && !is_less(low.number, high.number));
}

template <std::size_t N>
consteval void refuse_contradictions(const Rule (&rules)[N]) {
  for (const Rule& low : rules) {
    for (const Rule& high : rules) {
      if (contradicts(low, high)) this_minimum_is_above_its_maximum();
    }
  }
}

template <class Result, class... Sets>
consteval Result joined(const Sets&... sets) {
  Result result;
  std::size_t at = 0;
  const auto add = [&](const auto& set) {
    for (std::size_t i = 0; i < set.size; ++i) result.items[at++] = set.items[i];
  };
  (add(sets), ...);
  return result;
}

consteval RuleSet<1> number_rule(RuleKind kind, RuleNumber number) {
  RuleSet<1> set;
  set.items[0].kind = kind;
  set.items[0].number = number;
  return set;
}

consteval RuleSet<1> text_rule(RuleKind kind, std::string_view text, std::string_view message = {}) {
  RuleSet<1> set;
  set.items[0].kind = kind;
  set.items[0].text = text;
  set.items[0].message = message;
  return set;
}

consteval RuleSet<2> pair_of(RuleKind low, RuleNumber min, RuleKind high, RuleNumber max) {
  const auto set = joined<RuleSet<2>>(number_rule(low, min), number_rule(high, max));
  refuse_contradictions(set.items);
  return set;
}

template <class Struct>
struct CheckedStruct {
  using Type = Struct;
};
template <class F>
struct PredicateOf;
template <class C, class S>
struct PredicateOf<bool (C::*)(const S&) const> : CheckedStruct<S> {};
template <class C, class S>
struct PredicateOf<bool (C::*)(const S&) const noexcept> : CheckedStruct<S> {};

template <class F>
concept Predicate = std::is_empty_v<F> && std::is_default_constructible_v<F> &&
                    requires { typename PredicateOf<decltype(&F::operator())>::Type; };

template <class S, class F>
bool call_predicate(const void* object) {
  return F{}(*static_cast<const S*>(object));
}

}  // namespace detail
}  // namespace tern::json
