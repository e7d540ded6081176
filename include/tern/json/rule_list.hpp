// The rules of a type, sorted by member: the RuleTable of rule.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tern/json/reflect.hpp>
#include <tern/json/rule.hpp>
#include <tern/json/rule_fit.hpp>
#include <tern/json/rule_value.hpp>
#include <tern/json/shape.hpp>

namespace tern::json {

// All rules of a T. Made by tern::rules().
template <class Struct, std::size_t N>
struct RuleList {
  Rule items[N == 0 ? 1 : N]{};
  static constexpr std::size_t size = N;
};

namespace detail {

// The struct that a part of rules(…) is about; void if any.
template <class Part>
struct StructOf {
  using Type = void;
};
template <class S, std::size_t N>
struct StructOf<MemberRules<S, N>> {
  using Type = S;
};

template <class... Parts>
struct CommonStruct {
  using Type = void;
};
template <class First, class... Rest>
struct CommonStruct<First, Rest...> {
  using Own = typename StructOf<First>::Type;
  using Other = typename CommonStruct<Rest...>::Type;
  using Type = std::conditional_t<std::is_void_v<Own>, Other, Own>;
  static_assert(std::is_void_v<Own> || std::is_void_v<Other> || std::is_same_v<Own, Other>,
                "tern: rules(…) names members of two structs; each struct has a tern::Rules of its own");
};

// Holder types, such as QueryParam, are about the value that they hold.
template <class T>
struct RuledValue {
  using Type = T;
};
template <class T>
  requires requires(T& holder) {
    typename T::HeldValue;
    holder.value;
  }
struct RuledValue<T> {
  using Type = typename T::HeldValue;
};

template <std::size_t Count, std::size_t Members>
struct SortedRules {
  Rule rules[Count == 0 ? 1 : Count]{};
  std::uint16_t ends[Members + 2]{};
  std::uint64_t read_only = 0;
  std::uint64_t write_only = 0;
};

template <class T>
consteval std::size_t members_with_rules() {
  if constexpr (shape<T> == Shape::Struct && !requires { typename T::HeldValue; }) {
    return member_count<T>;
  } else {
    return 0;
  }
}

template <class T>
consteval std::size_t index_of(std::string_view member) {
  constexpr std::size_t members = members_with_rules<T>();
  if constexpr (members != 0) {
    for (std::size_t i = 0; i < members; ++i) {
      if (cpp_names<T>.items[i] == member) return i;
    }
  }
  rules_on_members_stand_at_a_type_that_is_not_read_by_its_members();
  return members;
}

template <class T>
consteval std::size_t group_of(const Rule& rule) {
  constexpr std::size_t members = members_with_rules<T>();
  if (rule.kind == RuleKind::Check) return members + 1;
  return rule.member.empty() ? members : index_of<T>(rule.member);
}

template <class T>
consteval auto sort_rules() {
  constexpr auto& list = Rules<T>::list;
  constexpr std::size_t members = members_with_rules<T>();
  SortedRules<list.size, members> sorted;
  std::size_t at = 0;
  for (std::size_t group = 0; group < members + 2; ++group) {
    for (std::size_t i = 0; i < list.size; ++i) {
      const Rule& rule = list.items[i];
      if (group_of<T>(rule) != group) continue;
      sorted.rules[at] = rule;
      if (rule.kind == RuleKind::Check && !rule.member.empty()) sorted.rules[at].number = index_of<T>(rule.member);
      ++at;
      if (rule.depth == 0 && group < members) {
        if (rule.kind == RuleKind::ReadOnly) sorted.read_only |= std::uint64_t{1} << group;
        if (rule.kind == RuleKind::WriteOnly) sorted.write_only |= std::uint64_t{1} << group;
      }
      if (group == members) fit<typename RuledValue<T>::Type>(rule);
      for (std::size_t j = 0; j < list.size; ++j) {
        if (group_of<T>(list.items[j]) == group && contradicts(rule, list.items[j]))
          this_minimum_is_above_its_maximum();
      }
    }
    sorted.ends[group] = static_cast<std::uint16_t>(at);
  }
  return sorted;
}

template <class List>
struct StructOfList;
template <class S, std::size_t N>
struct StructOfList<RuleList<S, N>> {
  using Type = S;
};

template <class T>
consteval std::string_view type_spelling() {
  std::string_view text = spelled_type<T>();
  text.remove_prefix(text.find("T = ") + 4);
  return text.substr(0, text.find_first_of(";]"));
}

template <class T>
concept IsBareParameter = requires { requires std::is_same_v<T, typename T::Parameter>; };

template <class T>
struct RuleTableOf {
  using Stated = typename StructOfList<std::remove_cv_t<decltype(Rules<T>::list)>>::Type;
  static_assert(std::is_void_v<Stated> || std::is_same_v<Stated, T>,
                "tern: the rules in a tern::Rules<T> are about members of another struct than T");
  // QueryParam<"page", int> is the same type in every file, whether that file has seen the rules or not.
  static_assert(
      !IsBareParameter<T>,
      "tern: rules of a parameter stand at a type of its own: struct Page : tern::QueryParam<\"page\", int> {}");
  static constexpr auto sorted = sort_rules<T>();
  static constexpr RuleTable table{sorted.rules,     sorted.ends,       members_with_rules<T>(),
                                   sorted.read_only, sorted.write_only, type_spelling<T>()};

  static consteval std::span<const Rule> stated(std::size_t member) {
    const std::size_t begin = member == 0 ? 0 : sorted.ends[member - 1];
    return {sorted.rules + begin, sorted.ends[member] - begin};
  }
  // Whether member I has rules that are checked.
  template <std::size_t I>
  static constexpr bool is_checked = depths_of(stated(I)) != 0;
  // Whether its value certainly keeps them. All in one function, so that only the rules that there are remain of it.
  template <std::size_t I, class Member>
  [[gnu::flatten]] static bool keeps(const Member& value) {
    static constexpr auto merged = merge_rules<depths_of(stated(I))>(stated(I), I, &compiled_rules<T>);
    return keeps_rules(value, merged.of_depth);
  }
};

}  // namespace detail
}  // namespace tern::json
