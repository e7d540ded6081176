// Rules on the members of a struct, stated once beside it:
//
//   template <>
//   struct tern::Rules<NewBook> {
//     static constexpr auto list = tern::rules(
//         tern::member<&NewBook::title>(tern::length(1, 200), tern::describe("As on the cover")),
//         tern::member<&NewBook::year>(tern::range(1450, 2100)),
//         tern::member<&NewBook::tags>(tern::items(0, 10), tern::unique_items(), tern::each(tern::length(1, 20))),
//         tern::check("price_of_print", "a printed book has a price", [](const NewBook& book) { … }));
//   };
//
// They hold wherever a NewBook is read: from JSON at any depth, from a query string, from a form. The meaning is that
// of JSON Schema 2020-12: a rule is about the value as it is written in JSON, and says nothing about a member that is
// missing or null. A rule that does not fit its member does not compile. Specialise before the type is first read.
//
// A single parameter has rules by a type of its own, and so has a type with a JsonCodec:
//
//   struct Page : tern::QueryParam<"page", int, 1> {};
//   template <>
//   struct tern::Rules<Page> {
//     static constexpr auto list = tern::rules(tern::range(1, 1000), tern::describe("Counted from 1"));
//   };
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <tern/json/rule.hpp>
#include <tern/json/rule_fit.hpp>
#include <tern/json/rule_list.hpp>

namespace tern {

// --- Numbers -------------------------------------------------------------------------------------------------------

consteval auto minimum(json::RuleNumber value) {
  return json::detail::number_rule(json::RuleKind::Minimum, value);
}
consteval auto maximum(json::RuleNumber value) {
  return json::detail::number_rule(json::RuleKind::Maximum, value);
}
consteval auto exclusive_minimum(json::RuleNumber value) {
  return json::detail::number_rule(json::RuleKind::ExclusiveMinimum, value);
}
consteval auto exclusive_maximum(json::RuleNumber value) {
  return json::detail::number_rule(json::RuleKind::ExclusiveMaximum, value);
}
// From `min` to `max`, both included.
consteval auto range(json::RuleNumber min, json::RuleNumber max) {
  return json::detail::pair_of(json::RuleKind::Minimum, min, json::RuleKind::Maximum, max);
}
// Exact in decimals: 19.99 is a multiple of 0.01.
consteval auto multiple_of(json::RuleNumber divisor) {
  if (!json::detail::is_less(json::RuleNumber(0), divisor)) json::detail::this_divisor_is_not_above_zero();
  return json::detail::number_rule(json::RuleKind::MultipleOf, divisor);
}

// --- Text ----------------------------------------------------------------------------------------------------------

// Of text, in Unicode code points.
consteval auto length(std::size_t min, std::size_t max) {
  return json::detail::pair_of(json::RuleKind::MinLength, min, json::RuleKind::MaxLength, max);
}
consteval auto min_length(std::size_t count) {
  return json::detail::number_rule(json::RuleKind::MinLength, count);
}
consteval auto max_length(std::size_t count) {
  return json::detail::number_rule(json::RuleKind::MaxLength, count);
}
// Text in which the regular expression (RE2 syntax, which is linear in time) is found; anchor it by ^ and $ to match
// the whole text. Compiled at the start, which fails, naming the member, if it is malformed. `message` says what it
// means, in place of the expression.
consteval auto pattern(std::string_view regex, std::string_view message = {}) {
  if (regex.empty()) json::detail::this_text_is_empty();
  return json::detail::text_rule(json::RuleKind::Pattern, regex, message);
}
consteval auto format(Format format) {
  json::RuleSet<1> set;
  set.items[0].kind = json::RuleKind::Format;
  set.items[0].format = format;
  return set;
}
// Text of at least one character. For arrays: min_items(1).
consteval auto not_empty() {
  return min_length(1);
}
// The allowed values: texts (or names of enumerators), or numbers.
template <class... V>
  requires(sizeof...(V) > 0 && ((std::is_convertible_v<const V&, std::string_view> && ...) ||
                                (std::is_convertible_v<const V&, json::RuleNumber> && ...)))
consteval auto one_of(const V&... values) {
  json::RuleSet<sizeof...(V)> set;
  std::size_t at = 0;
  const auto add = [&set, &at](const auto& value) {
    json::Rule& rule = set.items[at++];
    rule.kind = json::RuleKind::OneOf;
    if constexpr (std::is_convertible_v<decltype(value), std::string_view>) {
      rule.text = value;
    } else {
      rule.number = value;
    }
  };
  (add(values), ...);
  return set;
}

// --- Arrays and maps -----------------------------------------------------------------------------------------------

// The number of elements.
consteval auto items(std::size_t min, std::size_t max) {
  return json::detail::pair_of(json::RuleKind::MinItems, min, json::RuleKind::MaxItems, max);
}
consteval auto min_items(std::size_t count) {
  return json::detail::number_rule(json::RuleKind::MinItems, count);
}
consteval auto max_items(std::size_t count) {
  return json::detail::number_rule(json::RuleKind::MaxItems, count);
}
// No two elements are equal: 1 equals 1.0, and objects are equal whatever the order of their members.
consteval auto unique_items() {
  return json::detail::number_rule(json::RuleKind::UniqueItems, {});
}
// The number of entries of a map.
consteval auto properties(std::size_t min, std::size_t max) {
  return json::detail::pair_of(json::RuleKind::MinProperties, min, json::RuleKind::MaxProperties, max);
}
// These rules for each element of an array, or each value of a map. each(each(…)) is about arrays of arrays.
template <std::size_t... N>
consteval auto each(const json::RuleSet<N>&... sets) {
  auto all = json::detail::joined<json::RuleSet<(std::size_t{0} + ... + N)>>(sets...);
  for (json::Rule& rule : all.items) ++rule.depth;
  return all;
}

// --- Documentation -------------------------------------------------------------------------------------------------

consteval auto describe(std::string_view text) {
  return json::detail::text_rule(json::RuleKind::Description, text);
}
consteval auto example(std::string_view text) {
  return json::detail::text_rule(json::RuleKind::Example, text);
}
template <class N>
  requires std::is_arithmetic_v<N>
consteval auto example(N value) {
  if constexpr (std::is_same_v<N, bool>) {
    auto set = json::detail::text_rule(json::RuleKind::Example, value ? "true" : "false");
    set.items[0].is_json = true;
    return set;
  } else {
    return json::detail::number_rule(json::RuleKind::Example, value);
  }
}
// An example of an array or a struct, as JSON text.
consteval auto json_example(std::string_view json) {
  auto set = json::detail::text_rule(json::RuleKind::Example, json);
  set.items[0].is_json = true;
  return set;
}
consteval auto deprecated() {
  return json::detail::number_rule(json::RuleKind::Deprecated, {});
}
// Only in responses. A request need not have the member, and its value there is ignored; where unknown members are
// denied, it is denied too.
consteval auto read_only() {
  return json::detail::number_rule(json::RuleKind::ReadOnly, {});
}
// Only in requests: never written as JSON.
consteval auto write_only() {
  return json::detail::number_rule(json::RuleKind::WriteOnly, {});
}

// --- Structs -------------------------------------------------------------------------------------------------------

// Rules at one member: member<&Book::title>(length(1, 200)).
template <auto Member, std::size_t... N>
  requires std::is_member_object_pointer_v<decltype(Member)>
consteval auto member(const json::RuleSet<N>&... sets) {
  using Pointer = json::detail::PointerToMember<decltype(Member)>;
  auto all = json::detail::joined<json::MemberRules<typename Pointer::Struct, (std::size_t{0} + ... + N)>>(sets...);
  for (std::size_t i = 0; i < all.size; ++i) {
    json::detail::fit<std::remove_cv_t<typename Pointer::Member>>(all.items[i]);
    all.items[i].member = json::detail::last_identifier(json::detail::spelled<Member>());
  }
  json::detail::refuse_contradictions(all.items);
  return all;
}

// A predicate over the whole struct: a lambda without captures that takes it by const reference and returns bool. It is
// called when all members have been read and are valid. `code` is for programs, `message` for humans; the violation is
// reported at the struct, or at `Member`: check<&Stay::end>("end_after_begin", …).
template <auto Member = nullptr, class F>
consteval auto check(std::string_view code, std::string_view message, F) {
  static_assert(
      json::detail::Predicate<F>,
      "tern: the predicate of a check() is a lambda without captures that takes the struct by const reference "
      "and returns bool");
  if constexpr (json::detail::Predicate<F>) {
    using Struct = typename json::detail::PredicateOf<decltype(&F::operator())>::Type;
    if (code.empty()) json::detail::this_text_is_empty();
    json::MemberRules<Struct, 1> set;
    json::Rule& rule = set.items[0];
    rule.kind = json::RuleKind::Check;
    rule.text = code;
    rule.message = message;
    rule.holds = &json::detail::call_predicate<Struct, F>;
    if constexpr (!std::is_null_pointer_v<decltype(Member)>) {
      rule.member = json::detail::last_identifier(json::detail::spelled<Member>());
    }
    return set;
  } else {
    return json::RuleSet<0>();
  }
}

// All rules of a type, for tern::Rules: member(…), check(…), and rules about the whole value.
template <class... Parts>
consteval auto rules(const Parts&... parts) {
  using Struct = typename json::detail::CommonStruct<Parts...>::Type;
  const auto all = json::detail::joined<json::RuleList<Struct, (std::size_t{0} + ... + Parts::size)>>(parts...);
  return all;
}

}  // namespace tern
