// Selects the alternative of a std::variant for a JSON value.
//
// Each kind of JSON value must lead to one alternative. There are two exceptions: an integer type and a floating-point
// type may stand beside each other (a number without fraction and exponent is then the integer), and so may structs. An
// object is the struct whose JsonDiscriminator it has, if all have one of the same name; otherwise each must have a
// member that no other has, and an object is the struct of which it has such a member.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <tern/json/reader.hpp>
#include <tern/json/shape.hpp>

namespace tern::json::detail {

struct Alternative {
  Kinds kinds;
  bool is_struct;
  std::span<const std::string_view> names;  // of the members of a struct
  Discriminator discriminator;

  constexpr bool has(std::string_view name) const {
    for (const std::string_view own : names) {
      if (own == name) return true;
    }
    return false;
  }
};

// Whether the struct alternatives[own] is the only one with member `name`.
constexpr bool is_mark(std::span<const Alternative> alternatives, std::size_t own, std::string_view name) {
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    if (alternatives[i].has(name) != (i == own)) return false;
  }
  return true;
}

constexpr bool has_mark(std::span<const Alternative> alternatives, std::size_t own) {
  for (const std::string_view name : alternatives[own].names) {
    if (is_mark(alternatives, own, name)) return true;
  }
  return false;
}

// The name of the discriminator that all structs have, each with a value of its own; empty: there is none.
constexpr std::string_view common_discriminator(std::span<const Alternative> alternatives) {
  std::string_view member;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    if (!alternatives[i].is_struct) continue;
    const Discriminator& own = alternatives[i].discriminator;
    if (own.member.empty() || (!member.empty() && own.member != member)) return {};
    member = own.member;
    for (std::size_t j = 0; j < i; ++j) {
      if (alternatives[j].is_struct && alternatives[j].discriminator.value == own.value) return {};
    }
  }
  return member;
}

constexpr bool can_be_told_apart(std::span<const Alternative> alternatives) {
  const bool is_discriminated = !common_discriminator(alternatives).empty();
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Alternative& a = alternatives[i];
      const Alternative& b = alternatives[j];
      if ((a.kinds & b.kinds) == Kinds::None) continue;
      const bool are_marked = is_discriminated || (has_mark(alternatives, i) && has_mark(alternatives, j));
      if (a.is_struct && b.is_struct && are_marked) continue;
      if (a.kinds == Kinds::Integer && b.kinds == Kinds::Number) continue;
      if (a.kinds == Kinds::Number && b.kinds == Kinds::Integer) continue;
      return false;
    }
  }
  return true;
}

constexpr std::size_t no_alternative = static_cast<std::size_t>(-1);

template <class A>
consteval Alternative describe() {
  if constexpr (shape<A> == Shape::Struct) {
    return {Kinds::Object, true, member_names<A>(), discriminator_of<A>()};
  } else {
    constexpr Kinds kinds = kinds_of<A>();
    static_assert(
        kinds != Kinds::None,
        "tern: this alternative of a std::variant does not say what it looks like in JSON; a JsonCodec says it "
        "by a constant `kinds`");
    return {kinds, false, {}, {}};
  }
}

template <class... A>
inline constexpr Alternative alternatives[] = {describe<A>()...};

template <template <class...> class V, class... A>
void read_variant(Reader& reader, V<A...>& out) {
  static_assert(
      can_be_told_apart(alternatives<A...>),
      "tern: two alternatives of this std::variant look alike in JSON; specialise JsonDiscriminator for each "
      "struct, make them structs that each have a member of their own, or specialise JsonCodec for the variant");
  const std::size_t chosen = choose_alternative(reader, alternatives<A...>);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_cast<void>(((chosen == I ? (read_value(reader, out.template emplace<I>()), true) : false) || ...));
  }(std::index_sequence_for<A...>{});
}

}  // namespace tern::json::detail
