// Which members of a struct may be missing from JSON, a query string or a form.
//
// The language does not show default member initialisers to reflection, so this is the rule:
//
// 1. std::optional, std::unique_ptr, std::shared_ptr and std::monostate members may always be missing.
// 2. Where JsonDefaults<T> is specialised, it alone decides about the others.
// 3. A scalar (bool, number, char, enum, pointer, duration), a std::array of scalars, or a struct that holds only
//    such members without initialisers of their own, may be missing if it has an initialiser, be it zero:
//        struct Page { int limit = 20; int offset = 0; int size; };    // limit and offset may, size may not
//    This is found by constant evaluation: reading a member that `T object;` leaves uninitialised is no constant.
// 4. A struct with other members may be missing if it is initialised with something else than its own defaults, or if
//    all its members may be missing.
// 5. Everything else (text, containers, variants, points of time, …) may be missing if its initial value differs from
//    an empty one:
//        struct Note { std::string title; std::string language = "en"; std::string text = ""; };
//    title must be there, language may be missing, and text, unlike one might hope, must be there: an explicit empty
//    initialiser looks the same as none. Say std::optional or JsonDefaults there.
//
// Where T cannot be made in a constant expression (it holds a std::map, say; or, with Clang and libstdc++ 12, a
// std::string), rule 3 is weaker: if all its scalars have initialisers, all may be missing; if only some have, those
// whose initial value is not zero.
//
// A missing member keeps its initial value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tern/json/shape.hpp>

namespace tern::json {

namespace detail {

template <class M>
concept Optional = shape<M> == Shape::Optional || shape<M> == Shape::Pointer || shape<M> == Shape::Null;

template <class M>
concept Scalar = std::is_scalar_v<M> || shape<M> == Shape::Time || shape<M> == Shape::Duration;

// Reads one scalar of `member`; which one does not matter where none has an initialiser of its own.
template <class M>
consteval bool read_a_scalar(const M& member) {
  if constexpr (std::is_scalar_v<M>) {
    [[maybe_unused]] const M copy = member;
    return true;
  } else if constexpr (shape<M> == Shape::Duration) {
    return read_a_scalar(member.count());
  } else if constexpr (shape<M> == Shape::Array) {
    return std::tuple_size<M>::value == 0 || read_a_scalar(member[0]);
  } else if constexpr (member_count<M> == 0) {
    return true;
  } else {
    return read_a_scalar(*leaf<0>(member_pointers(member)));
  }
}

// Whether default initialisation leaves all of M uninitialised.
template <class M>
concept LeftUninitialised = std::is_trivially_default_constructible_v<M> &&
                            (Scalar<M> || shape<M> == Shape::Array || shape<M> == Shape::Struct);

template <class T>
consteval bool make() {
  [[maybe_unused]] T object;
  return true;
}
template <class T, std::size_t I>
consteval bool make_and_read() {
  T object;
  return read_a_scalar(*leaf<I>(member_pointers(object)));
}

template <class T>
concept MadeInConstants = requires { typename std::bool_constant<make<T>()>; };
template <class T, std::size_t I>
concept InitialisedInConstants = requires { typename std::bool_constant<make_and_read<T, I>()>; };
// `const T object;` is well-formed only when every scalar in it has an initialiser.
template <class T>
concept AllInitialised = requires { new const T; };

// Whether two values of a type with a JSON form are equal, as far as it is known how to compare them.
template <class M>
bool same(const M& a, const M& b) {
  constexpr Shape is = shape<M>;
  if constexpr (Scalar<M>) {
    return a == b;
  } else if constexpr (is == Shape::Map || is == Shape::Set || is == Shape::Sequence || is == Shape::View) {
    return !(a.begin() != a.end()) == !(b.begin() != b.end());
  } else if constexpr (is == Shape::Text) {
    return std::string_view(a) == std::string_view(b);
  } else if constexpr (is == Shape::Optional || is == Shape::Pointer) {
    return static_cast<bool>(a) == static_cast<bool>(b);
  } else if constexpr (is == Shape::Variant) {
    return a.index() == b.index();
  } else if constexpr (is == Shape::Array) {
    for (std::size_t i = 0; i < std::tuple_size<M>::value; ++i) {
      if (!same(a[i], b[i])) return false;
    }
    return true;
  } else if constexpr (is == Shape::Tuple) {
    using std::get;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (same(get<I>(a), get<I>(b)) && ...);
    }(std::make_index_sequence<std::tuple_size<M>::value>{});
  } else if constexpr (is == Shape::Struct) {
    const auto left = member_pointers(a);
    const auto right = member_pointers(b);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (same(*leaf<I>(left), *leaf<I>(right)) && ...);
    }(std::make_index_sequence<member_count<M>>{});
  } else if constexpr (requires { static_cast<bool>(a == b); }) {
    return static_cast<bool>(a == b);
  } else {
    return true;
  }
}

template <class M>
bool differs_from_its_default(const M& member) {
  if constexpr (shape<M> == Shape::Variant) {
    return member.index() != 0;  // GCC 12 warns of a temporary variant, without reason
  } else if constexpr (std::is_default_constructible_v<M>) {
    return !same(member, M{});
  } else {
    return true;
  }
}

template <class T>
consteval bool listed(std::string_view member) {
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(JsonDefaults<T>::may_be_missing)>, bool>) {
    return JsonDefaults<T>::may_be_missing;
  } else {
    for (const std::string_view name : JsonDefaults<T>::may_be_missing) {
      if (name == member) return true;
    }
    return false;
  }
}

template <class T>
consteval bool list_fits() {
  if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(JsonDefaults<T>::may_be_missing)>, bool>) {
    for (const std::string_view name : JsonDefaults<T>::may_be_missing) {
      if (!has(cpp_names<T>, name)) return false;
    }
  }
  return true;
}

constexpr std::uint64_t all_members(std::size_t count) {
  return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count);
}

template <class T>
std::uint64_t members_with_default();

template <class T, std::size_t I>
bool find_default(const T& fresh) {
  using M = MemberType<T, I>;
  if constexpr (Optional<M>) {
    return true;
  } else if constexpr (HasDefaults<T>) {
    static_assert(list_fits<T>(), "tern: JsonDefaults names a member that the struct does not have");
    return listed<T>(cpp_names<T>.items[I]);
  } else if constexpr (LeftUninitialised<M> && MadeInConstants<T>) {
    return InitialisedInConstants<T, I>;
  } else if constexpr (LeftUninitialised<M> && AllInitialised<T>) {
    return true;
  } else {
    if (differs_from_its_default(*leaf<I>(member_pointers(fresh)))) return true;
    if constexpr (shape<M> == Shape::Struct && !LeftUninitialised<M>) {
      return members_with_default<M>() == all_members(member_count<M>);
    }
    return false;
  }
}

// Bit I stands for member I.
template <class T>
std::uint64_t members_with_default() {
  static const std::uint64_t found = [] {
    const T fresh{};
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (std::uint64_t{0} | ... | (std::uint64_t{find_default<T, I>(fresh)} << I));
    }(std::make_index_sequence<member_count<T>>{});
  }();
  return found;
}

}  // namespace detail

// Whether member I of T may be missing, by the rule above. The first call for a T makes a T{}; thread-safe.
template <Aggregate T, std::size_t I>
bool member_has_default() {
  static_assert(I < detail::member_count<T>);
  return (detail::members_with_default<T>() >> I & 1) != 0;
}

// The same by index, known only at run time.
template <Aggregate T>
bool member_has_default(std::size_t index) {
  return (detail::members_with_default<T>() >> index & 1) != 0;
}

}  // namespace tern::json
