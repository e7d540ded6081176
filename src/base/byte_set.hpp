// A set of bytes for character classes.
#pragma once

#include <array>

namespace tern::base {

// Built at compile time.
struct ByteSet {
  std::array<bool, 256> in{};

  template <class Predicate>
  explicit consteval ByteSet(Predicate predicate) {
    for (unsigned byte = 0; byte < 256; ++byte) in[byte] = predicate(static_cast<char>(byte));
  }
  constexpr bool operator[](char c) const noexcept { return in[static_cast<unsigned char>(c)]; }
};

}  // namespace tern::base
