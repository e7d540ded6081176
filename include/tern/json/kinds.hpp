// The kinds of JSON values, and sets of them.
#pragma once

#include <cstdint>

namespace tern::json {

// A number is an Integer when it is written without fraction and exponent and fits 64 bits, otherwise a Fraction.
enum class Kinds : std::uint8_t {
  None = 0,
  Null = 1,
  Boolean = 2,
  Integer = 4,
  Fraction = 8,
  Number = Integer | Fraction,
  String = 16,
  Array = 32,
  Object = 64,
};

constexpr Kinds operator|(Kinds a, Kinds b) {
  return static_cast<Kinds>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Kinds operator&(Kinds a, Kinds b) {
  return static_cast<Kinds>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

}  // namespace tern::json
