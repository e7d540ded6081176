// The rules of a member, merged at compile time and checked on the C++ value right after it was read. A value that
// keeps them costs a few comparisons. Where that is not certain, the walk over the document (src/json/rule_walk.cpp)
// decides and reports the violations; so a check here may be too strict, but never too lenient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include <tern/json/enums.hpp>
#include <tern/json/rule.hpp>
#include <tern/json/shape.hpp>

namespace tern::json::detail {

// The rules of one depth of a member.
struct ValueRules {
  std::int64_t min_integer = std::numeric_limits<std::int64_t>::min();
  std::int64_t max_integer = std::numeric_limits<std::int64_t>::max();  // also: no maximum
  std::int64_t divisor = 0;                                             // 0: none
  double min_number = -std::numeric_limits<double>::infinity();
  double max_number = std::numeric_limits<double>::infinity();
  double above_number = -std::numeric_limits<double>::infinity();  // exclusive
  double below_number = std::numeric_limits<double>::infinity();   // exclusive
  std::size_t min_size = 0;                                        // code points, elements or entries
  std::size_t max_size = static_cast<std::size_t>(-1);
  std::size_t member = 0;
  std::uint8_t depth = 0;
  bool has_format = false;
  Format format = Format::Email;
  bool is_unique = false;
  bool is_listed = false;          // has patterns or allowed values
  bool has_element_rules = false;  // the next ValueRules are about the elements
  bool needs_walk = false;         // has rules that are not checked here
  const CompiledRules& (*compiled)() = nullptr;
};

// Integers of a smaller magnitude are exact as double.
inline constexpr double exact_limit = 9007199254740992.0;  // 2^53

constexpr std::int64_t floor_of(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) > value ? whole - 1 : whole;
}

constexpr void narrow_number(ValueRules& rules, const Rule& rule) {
  const double limit = rule.number.approximate();
  if (!(limit > -exact_limit && limit < exact_limit)) {
    rules.needs_walk = true;
    return;
  }
  const std::int64_t floor = floor_of(limit);
  const std::int64_t ceiling = static_cast<double>(floor) < limit ? floor + 1 : floor;
  const auto raise = [&rules](std::int64_t integer) {
    if (integer > rules.min_integer) rules.min_integer = integer;
  };
  const auto lower = [&rules](std::int64_t integer) {
    if (integer < rules.max_integer) rules.max_integer = integer;
  };
  switch (rule.kind) {
    case RuleKind::Minimum:
      raise(ceiling);
      if (limit > rules.min_number) rules.min_number = limit;
      break;
    case RuleKind::ExclusiveMinimum:
      raise(floor + 1);
      if (limit > rules.above_number) rules.above_number = limit;
      break;
    case RuleKind::Maximum:
      lower(floor);
      if (limit < rules.max_number) rules.max_number = limit;
      break;
    default:
      lower(ceiling - 1);
      if (limit < rules.below_number) rules.below_number = limit;
      break;
  }
}

constexpr void narrow(ValueRules& rules, const Rule& rule) {
  switch (rule.kind) {
    case RuleKind::Minimum:
    case RuleKind::Maximum:
    case RuleKind::ExclusiveMinimum:
    case RuleKind::ExclusiveMaximum: return narrow_number(rules, rule);
    case RuleKind::MultipleOf:
      rules.needs_walk = rules.needs_walk || rules.divisor != 0 || rule.number.type != RuleNumber::Type::Signed;
      rules.divisor = rule.number.integer;
      return;
    case RuleKind::MinLength:
    case RuleKind::MinItems:
    case RuleKind::MinProperties:
      if (rule.number.count() > rules.min_size) rules.min_size = rule.number.count();
      return;
    case RuleKind::MaxLength:
    case RuleKind::MaxItems:
    case RuleKind::MaxProperties:
      if (rule.number.count() < rules.max_size) rules.max_size = rule.number.count();
      return;
    case RuleKind::Format:
      rules.needs_walk = rules.needs_walk || rules.has_format;
      rules.has_format = true;
      rules.format = rule.format;
      return;
    case RuleKind::UniqueItems: rules.is_unique = true; return;
    case RuleKind::OneOf:
    case RuleKind::Pattern: rules.is_listed = true; return;
    default: return;
  }
}

template <std::size_t Depths>
struct MergedRules {
  ValueRules of_depth[Depths];
};

template <std::size_t Depths>
consteval MergedRules<Depths> merge_rules(std::span<const Rule> stated, std::size_t member,
                                          const CompiledRules& (*compiled)()) {
  MergedRules<Depths> merged;
  for (std::size_t depth = 0; depth < Depths; ++depth) {
    ValueRules& rules = merged.of_depth[depth];
    rules.member = member;
    rules.depth = static_cast<std::uint8_t>(depth);
    rules.has_element_rules = depth + 1 < Depths;
    rules.compiled = compiled;
    for (const Rule& rule : stated) {
      if (rule.depth == depth) narrow(rules, rule);
    }
  }
  return merged;
}

// Whether a rule is checked, and no documentation.
constexpr bool is_checked(RuleKind kind) {
  return kind < RuleKind::Check;
}

// The number of depths that have rules to check; 0: there are none.
consteval std::size_t depths_of(std::span<const Rule> stated) {
  std::size_t depths = 0;
  for (const Rule& rule : stated) {
    if (is_checked(rule.kind) && rule.depth >= depths) depths = std::size_t{rule.depth} + 1;
  }
  return depths;
}

// In src/json.
bool has_format(Format format, std::string_view text);
bool has_length(std::string_view text, std::size_t min, std::size_t max);
bool keeps_listed(std::string_view text, const ValueRules& rules);
// The rules of a member, on the document: those of its elements included.
void check_member(Reader& value, const CompiledRules& rules, std::size_t member);

inline bool keeps_text(std::string_view text, const ValueRules& rules) {
  // A code point has one to four bytes.
  if (text.size() < rules.min_size) return false;
  const bool is_enough = rules.min_size <= 1 || text.size() / 4 >= rules.min_size;
  if ((!is_enough || text.size() > rules.max_size) && !has_length(text, rules.min_size, rules.max_size)) return false;
  if (rules.has_format && !has_format(rules.format, text)) return false;
  return !rules.is_listed || keeps_listed(text, rules);
}

template <class N>
bool keeps_integer(N value, const ValueRules& rules) {
  constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();
  if (rules.is_listed) return false;
  if constexpr (std::is_signed_v<N>) {
    const std::int64_t number = value;
    return number >= rules.min_integer && number <= rules.max_integer &&
           (rules.divisor == 0 || number % rules.divisor == 0);
  } else {
    const std::uint64_t number = value;
    return (rules.min_integer <= 0 || number >= static_cast<std::uint64_t>(rules.min_integer)) &&
           (rules.max_integer == unlimited || number <= static_cast<std::uint64_t>(rules.max_integer)) &&
           (rules.divisor == 0 || number % static_cast<std::uint64_t>(rules.divisor) == 0);
  }
}

inline bool keeps_double(double value, const ValueRules& rules) {
  return !rules.is_listed && rules.divisor == 0 && value >= rules.min_number && value <= rules.max_number &&
         value > rules.above_number && value < rules.below_number;
}

template <class E>
bool is_equal_element(const E& one, const E& other) {
  if constexpr (shape<E> == Shape::Text) {
    const std::string_view a = one;
    const std::string_view b = other;
    // Most texts differ at the front; the call that compares the rest costs more than the others together.
    return a.size() == b.size() && (a.empty() || (a.front() == b.front() && a == b));
  } else {
    return one == other;
  }
}

// Only short lists of scalars are compared here.
template <class V>
bool has_unique_elements(const V& list) {
  using Element = std::remove_cv_t<typename V::value_type>;
  constexpr std::size_t few = 8;
  if constexpr (shape<Element> == Shape::Text || shape<Element> == Shape::Integer) {
    if (list.size() > few) return false;
    for (auto one = list.begin(); one != list.end(); ++one) {
      for (auto other = list.begin(); other != one; ++other) {
        if (is_equal_element(*one, *other)) return false;
      }
    }
    return true;
  } else {
    return list.size() < 2;
  }
}

// `rules` are those of the value; those of its elements follow.
template <class V>
bool keeps_rules(const V& value, const ValueRules* rules);

template <class V>
bool keeps_list(const V& list, const ValueRules* rules) {
  const std::size_t size = list.size();
  if (size < rules->min_size || size > rules->max_size) return false;
  if (rules->is_unique && !has_unique_elements(list)) return false;
  if (!rules->has_element_rules) return true;
  for (const typename V::value_type& element : list) {
    if (!keeps_rules(element, rules + 1)) return false;
  }
  return true;
}

template <class V>
bool keeps_map(const V& map, const ValueRules* rules) {
  const std::size_t size = map.size();
  if (size < rules->min_size || size > rules->max_size) return false;
  if (!rules->has_element_rules) return true;
  for (const auto& entry : map) {
    if (!keeps_rules(entry.second, rules + 1)) return false;
  }
  return true;
}

template <class V>
bool keeps_rules(const V& value, const ValueRules* rules) {
  constexpr Shape is = shape<V>;
  if (rules->needs_walk) return false;
  if constexpr (is == Shape::Text) {
    return keeps_text(value, *rules);
  } else if constexpr (is == Shape::Integer) {
    return keeps_integer(value, *rules);
  } else if constexpr (is == Shape::Fraction && sizeof(V) == sizeof(double)) {
    return keeps_double(value, *rules);
  } else if constexpr (is == Shape::Enum) {
    const auto name = enum_name(value);
    return name && keeps_text(*name, *rules);
  } else if constexpr (is == Shape::Boolean || is == Shape::Null) {
    return true;
  } else if constexpr (is == Shape::Struct) {
    return rules->min_size == 0 && rules->max_size == static_cast<std::size_t>(-1);
  } else if constexpr (is == Shape::Optional || is == Shape::Pointer) {
    return !value || keeps_rules(*value, rules);
  } else if constexpr (is == Shape::Sequence || is == Shape::Array) {
    return keeps_list(value, rules);
  } else if constexpr (is == Shape::Map) {
    return keeps_map(value, rules);
  } else {
    return false;
  }
}

}  // namespace tern::json::detail
