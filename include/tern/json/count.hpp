// The number of members of a struct, found by the number of initialisers it accepts, and whether it can be decomposed.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tern::json::detail {

constexpr std::size_t max_members = 64;

// Converts to anything but T itself and its bases: `T{Anything…}` then compiles exactly when T has that many members.
template <class T>
struct Anything {
  template <class U>
    requires(!std::is_same_v<U, T> && !std::is_base_of_v<U, T>)
  operator U() const noexcept {  // NOLINT: implicit is the point
    __builtin_unreachable();     // never called, but some compilers want a body
  }
};

template <class T>
struct AnyBase {
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_base_of_v<U, T>)
  operator U() const noexcept {  // NOLINT
    __builtin_unreachable();
  }
};

template <class T, std::size_t>
using AnythingAt = Anything<T>;

template <class T, class Indices>
inline constexpr bool takes = false;
template <class T, std::size_t... I>
inline constexpr bool takes<T, std::index_sequence<I...>> = requires { T{AnythingAt<T, I>{}...}; };

// Whether T{…} takes N initialisers with the one at `Before` being {}. If not, that one is the first element of a C
// array that swallows several of the N when braces are left out.
template <class T, class Before, class After>
inline constexpr bool takes_braces = false;
template <class T, std::size_t... B, std::size_t... A>
inline constexpr bool takes_braces<T, std::index_sequence<B...>, std::index_sequence<A...>> =
    requires { T{AnythingAt<T, B>{}..., {}, AnythingAt<T, A>{}...}; };

// The number of initialisers of T{…}; max_members + 1 if there are more.
template <class T, std::size_t N = 0>
consteval std::size_t count_initialisers() {
  if constexpr (N > max_members || !takes<T, std::make_index_sequence<N + 1>>) {
    return N;
  } else {
    return count_initialisers<T, N + 1>();
  }
}

// A first member that accepts any value, such as std::any, is not a base.
struct Unrelated {};
template <class T>
inline constexpr bool has_base = requires { T{AnyBase<T>{}}; } && !requires { T{Unrelated{}}; };

template <class T, std::size_t N>
consteval bool has_array() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return !(takes_braces<T, std::make_index_sequence<I>, std::make_index_sequence<N - I - 1>> && ...);
  }(std::make_index_sequence<N>{});
}

}  // namespace tern::json::detail
