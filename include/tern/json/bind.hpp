// The addresses of a struct's members. The language has no structured binding for "all members", so most of this file
// is a table with one entry for each number of members.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tern::json::detail {

template <std::size_t I, class M>
struct Leaf {
  M* pointer;
};

template <class Indices, class... M>
struct PointersTo;
template <std::size_t... I, class... M>
struct PointersTo<std::index_sequence<I...>, M...> : Leaf<I, M>... {
  static constexpr std::size_t size = sizeof...(M);
};

template <std::size_t I, class M>
constexpr M* leaf(const Leaf<I, M>& at) {
  return at.pointer;
}

template <class... M>
constexpr auto collect(M*... pointers) {
  return [&]<std::size_t... I>(std::index_sequence<I...> indices) {
    return PointersTo<decltype(indices), M...>{Leaf<I, M>{pointers}...};
  }(std::index_sequence_for<M...>{});
}

// The addresses of the N members of `value`.
template <std::size_t N, class T>
constexpr auto pointers_up_to_16(T& value) {
  if constexpr (N == 1) {
    auto& [a0] = value;
    return collect(&a0);
  }
  if constexpr (N == 2) {
    auto& [a0, a1] = value;
    return collect(&a0, &a1);
  }
  if constexpr (N == 3) {
    auto& [a0, a1, a2] = value;
    return collect(&a0, &a1, &a2);
  }
  if constexpr (N == 4) {
    auto& [a0, a1, a2, a3] = value;
    return collect(&a0, &a1, &a2, &a3);
  }
  if constexpr (N == 5) {
    auto& [a0, a1, a2, a3, a4] = value;
    return collect(&a0, &a1, &a2, &a3, &a4);
  }
  if constexpr (N == 6) {
    auto& [a0, a1, a2, a3, a4, a5] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5);
  }
  if constexpr (N == 7) {
    auto& [a0, a1, a2, a3, a4, a5, a6] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6);
  }
  if constexpr (N == 8) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7);
  }
  if constexpr (N == 9) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8);
  }
  if constexpr (N == 10) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9);
  }
  if constexpr (N == 11) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10);
  }
  if constexpr (N == 12) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11);
  }
  if constexpr (N == 13) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12);
  }
  if constexpr (N == 14) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13);
  }
  if constexpr (N == 15) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14);
  }
  if constexpr (N == 16) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15);
  }
}

template <std::size_t N, class T>
constexpr auto pointers_up_to_32(T& value) {
  if constexpr (N == 17) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16);
  }
  if constexpr (N == 18) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17);
  }
  if constexpr (N == 19) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18);
  }
  if constexpr (N == 20) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19);
  }
  if constexpr (N == 21) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20);
  }
  if constexpr (N == 22) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21);
  }
  if constexpr (N == 23) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22] =
        value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22);
  }
  if constexpr (N == 24) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22,
           a23] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23);
  }
  if constexpr (N == 25) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24);
  }
  if constexpr (N == 26) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25);
  }
  if constexpr (N == 27) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26);
  }
  if constexpr (N == 28) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27);
  }
  if constexpr (N == 29) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28);
  }
  if constexpr (N == 30) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29);
  }
  if constexpr (N == 31) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30);
  }
  if constexpr (N == 32) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31);
  }
}

template <std::size_t N, class T>
constexpr auto pointers_up_to_48(T& value) {
  if constexpr (N == 33) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32);
  }
  if constexpr (N == 34) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33);
  }
  if constexpr (N == 35) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33,
                   &a34);
  }
  if constexpr (N == 36) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35);
  }
  if constexpr (N == 37) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36);
  }
  if constexpr (N == 38) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37);
  }
  if constexpr (N == 39) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38);
  }
  if constexpr (N == 40) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39);
  }
  if constexpr (N == 41) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40);
  }
  if constexpr (N == 42) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41);
  }
  if constexpr (N == 43) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42);
  }
  if constexpr (N == 44) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43);
  }
  if constexpr (N == 45) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44] =
        value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44);
  }
  if constexpr (N == 46) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44,
           a45] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45);
  }
  if constexpr (N == 47) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46);
  }
  if constexpr (N == 48) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47);
  }
}

template <std::size_t N, class T>
constexpr auto pointers_up_to_64(T& value) {
  if constexpr (N == 49) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48);
  }
  if constexpr (N == 50) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49);
  }
  if constexpr (N == 51) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50);
  }
  if constexpr (N == 52) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50,
                   &a51);
  }
  if constexpr (N == 53) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52);
  }
  if constexpr (N == 54) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53);
  }
  if constexpr (N == 55) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54);
  }
  if constexpr (N == 56) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55);
  }
  if constexpr (N == 57) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55, &a56);
  }
  if constexpr (N == 58) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55, &a56, &a57);
  }
  if constexpr (N == 59) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55, &a56, &a57, &a58);
  }
  if constexpr (N == 60) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55, &a56, &a57, &a58, &a59);
  }
  if constexpr (N == 61) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55, &a56, &a57, &a58, &a59, &a60);
  }
  if constexpr (N == 62) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55, &a56, &a57, &a58, &a59, &a60, &a61);
  }
  if constexpr (N == 63) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55, &a56, &a57, &a58, &a59, &a60, &a61, &a62);
  }
  if constexpr (N == 64) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,
           a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,
           a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63] = value;
    return collect(&a0, &a1, &a2, &a3, &a4, &a5, &a6, &a7, &a8, &a9, &a10, &a11, &a12, &a13, &a14, &a15, &a16, &a17,
                   &a18, &a19, &a20, &a21, &a22, &a23, &a24, &a25, &a26, &a27, &a28, &a29, &a30, &a31, &a32, &a33, &a34,
                   &a35, &a36, &a37, &a38, &a39, &a40, &a41, &a42, &a43, &a44, &a45, &a46, &a47, &a48, &a49, &a50, &a51,
                   &a52, &a53, &a54, &a55, &a56, &a57, &a58, &a59, &a60, &a61, &a62, &a63);
  }
}

template <std::size_t N, class T>
constexpr auto pointers_to(T& value) {
  if constexpr (N == 0) {
    return collect();
  } else if constexpr (N <= 16) {
    return pointers_up_to_16<N>(value);
  } else if constexpr (N <= 32) {
    return pointers_up_to_32<N>(value);
  } else if constexpr (N <= 48) {
    return pointers_up_to_48<N>(value);
  } else {
    return pointers_up_to_64<N>(value);
  }
}

}  // namespace tern::json::detail
