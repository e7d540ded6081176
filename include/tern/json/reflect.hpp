// Aggregates as lists of named members, without macros: for JSON, query strings, forms and tables.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tern/base/fixed_text.hpp>
#include <tern/json/bind.hpp>
#include <tern/json/codec.hpp>
#include <tern/json/count.hpp>

namespace tern::json {

// "member `member` in C++ is called `name` outside", for JsonNames.
struct Rename {
  std::string_view member;
  std::string_view name;
};

// See JsonDiscriminator. Without one, the name of the member is empty.
struct Discriminator {
  std::string_view member = {};
  std::string_view value = {};
};

// A struct that can be decomposed. It must not have C arrays, base classes, reference members, bit-fields, or more than
// 64 members; access to a member of such a struct fails with a message.
template <class T>
concept Aggregate = std::is_class_v<T> && std::is_aggregate_v<T>;

namespace detail {

template <class Pointers>
inline constexpr bool points_to_array = false;
template <class Indices, class... M>
inline constexpr bool points_to_array<PointersTo<Indices, M...>> = (std::is_array_v<M> || ...);

template <class T>
consteval std::size_t checked_member_count() {
  constexpr std::size_t count = count_initialisers<T>();
  constexpr bool whole = requires { T{}; };
  static_assert(whole,
                "tern: a struct cannot be reflected when T{} does not compile: it has a reference member, or a member "
                "without default constructor");
  static_assert(!has_base<T>, "tern: a struct with a base class cannot be reflected; make the base a member");
  static_assert(count <= max_members, "tern: a struct with more than 64 members cannot be reflected");
  if constexpr (whole && !has_base<T> && count <= max_members) {
    static_assert(count > 0 || std::is_empty_v<T>, "tern: the members of this struct cannot be counted");
    constexpr bool array = has_array<T, count>();
    static_assert(!array, "tern: a struct with a C array cannot be reflected; use std::array");
    if constexpr (!array) {
      static_assert(!points_to_array<decltype(pointers_to<count>(std::declval<T&>()))>,
                    "tern: a struct with a C array cannot be reflected; use std::array");
      return count;
    }
  }
  return 0;
}

template <class T>
inline constexpr std::size_t member_count = checked_member_count<T>();

template <class T>
constexpr auto member_pointers(T& value) {
  return pointers_to<member_count<std::remove_const_t<T>>>(value);
}

// An object that is never made: only the addresses of its members are used, as template arguments that the compiler
// then spells out in __PRETTY_FUNCTION__.
template <class T>
union Unmade {
  char none;
  T value;
  constexpr Unmade() : none{} {}
  constexpr ~Unmade() {}
};
#if defined(__clang__) && __clang_major__ < 19  // to which it is no literal type
template <class T>
[[clang::no_destroy]] inline constinit const Unmade<T> unmade{};
#else
template <class T>
inline constexpr Unmade<T> unmade{};
#endif

// Clang before 18 takes no address of a member as a template argument, but a struct that has one.
struct Address {
  const void* pointer;
};

template <auto Member>
consteval auto spelled() {
  return std::string_view(__PRETTY_FUNCTION__);
}

constexpr bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The identifier that `text` ends in, whatever brackets follow it.
constexpr std::string_view last_identifier(std::string_view text) {
  while (!text.empty() && !is_identifier_char(text.back())) text.remove_suffix(1);
  std::size_t start = text.size();
  while (start > 0 && is_identifier_char(text[start - 1])) --start;
  return text.substr(start);
}

// GCC:   … [with auto Member = Address{((const void*)(& unmade<Book>.Unmade<Book>::value.Book::title))}]
// Clang: … [Member = Address{&unmade.value.title}]
template <class T, std::size_t I>
consteval std::string_view cpp_name() {
  constexpr auto pointer = leaf<I>(member_pointers(unmade<T>.value));
  return last_identifier(spelled<Address{pointer}>());
}

template <class T>
concept HasNames = requires { JsonNames<T>::renames; };
template <class T>
concept HasDefaults = requires { JsonDefaults<T>::may_be_missing; };

template <std::size_t N>
struct NameList {
  std::string_view items[N == 0 ? 1 : N];
};

template <class T>
inline constexpr auto cpp_names = []<std::size_t... I>(std::index_sequence<I...>) {
  return NameList<sizeof...(I)>{{cpp_name<T, I>()...}};
}(std::make_index_sequence<member_count<T>>{});

template <std::size_t N>
consteval bool has(const NameList<N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names.items[i] == name) return true;
  }
  return false;
}

template <class T>
consteval bool renames_fit() {
  for (const Rename& rename : JsonNames<T>::renames) {
    if (!has(cpp_names<T>, rename.member)) return false;
  }
  return true;
}

template <class T, std::size_t I>
consteval std::string_view outside_name() {
  constexpr std::string_view name = cpp_names<T>.items[I];
  if constexpr (HasNames<T>) {
    for (const Rename& rename : JsonNames<T>::renames) {
      if (rename.member == name) return rename.name;
    }
  }
  return name;
}

template <std::size_t N>
consteval bool all_different(const NameList<N>& names) {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (names.items[i] == names.items[j]) return false;
    }
  }
  return true;
}

template <class T>
consteval auto make_names() {
  constexpr auto names = []<std::size_t... I>(std::index_sequence<I...>) {
    return NameList<sizeof...(I)>{{outside_name<T, I>()...}};
  }(std::make_index_sequence<member_count<T>>{});
  if constexpr (HasNames<T>) {
    static_assert(renames_fit<T>(), "tern: JsonNames renames a member that the struct does not have");
    static_assert(all_different(names), "tern: JsonNames gives two members the same name");
  }
  return names;
}

template <class T>
inline constexpr auto names_of = make_names<T>();

template <class T>
concept HasDiscriminator = requires { sizeof(JsonDiscriminator<T>); };

template <class T>
consteval Discriminator discriminator_of() {
  if constexpr (HasDiscriminator<T>) {
    constexpr Discriminator own{JsonDiscriminator<T>::member, JsonDiscriminator<T>::value};
    static_assert(!own.member.empty(), "tern: the member of a JsonDiscriminator has no name");
    static_assert(!has(names_of<T>, own.member),
                  "tern: a JsonDiscriminator names a member that the struct has; it is added to those of the struct");
    return own;
  } else {
    return {};
  }
}

template <class T, std::size_t I>
inline constexpr FixedText<names_of<T>.items[I].size() + 1> fixed_name{names_of<T>.items[I]};

// False, for a static_assert on a member that cannot be used: compilers print the template arguments below the message.
template <class Struct, FixedText Member, class Type>
inline constexpr bool usable_member = false;

}  // namespace detail

// The number of members of T.
template <Aggregate T>
consteval std::size_t member_count() {
  return detail::member_count<T>;
}

// The names of T's members in their order, after JsonNames. They live as long as the program.
template <Aggregate T>
constexpr std::span<const std::string_view> member_names() {
  return {detail::names_of<T>.items, detail::member_count<T>};
}

// The type of member I of T, without const.
template <Aggregate T, std::size_t I>
using MemberType =
    std::remove_cv_t<std::remove_pointer_t<decltype(detail::leaf<I>(detail::member_pointers(std::declval<T&>())))>>;

// Calls f(name, member, index) for every member in its order; `index` is a std::integral_constant<std::size_t, I>, so
// that it can be a template argument. T may be const.
template <class T, class F>
  requires Aggregate<std::remove_const_t<T>>
constexpr void for_each_member(T& value, F&& f) {
  using Plain = std::remove_const_t<T>;
  const auto pointers = detail::member_pointers(value);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (static_cast<void>(
         f(detail::names_of<Plain>.items[I], *detail::leaf<I>(pointers), std::integral_constant<std::size_t, I>{})),
     ...);
  }(std::make_index_sequence<detail::member_count<Plain>>{});
}

}  // namespace tern::json
