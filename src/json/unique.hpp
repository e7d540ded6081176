// Equal values among many, in linear time. Hashes are keyed with a secret of the process, so that a client cannot
// choose values that collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <tern/json/validate.hpp>

namespace tern::json::detail {

std::uint64_t hash_of(std::string_view text);
std::uint64_t hash_of(const ScalarValue& value);
// Mixes two hashes; the order counts.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);
// Numbers are equal by value: 1 and 1.0.
bool is_equal(const ScalarValue& a, const ScalarValue& b);

// hash(i) and equal(i, j) are about the values by index.
template <class Hash, class Equal>
bool all_different(std::size_t count, Hash hash, Equal equal) {
  constexpr std::size_t few = 8;
  if (count <= few) {
    for (std::size_t i = 1; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (equal(i, j)) return false;
      }
    }
    return true;
  }
  struct Entry {
    std::uint64_t hash = 0;
    std::size_t index = static_cast<std::size_t>(-1);
  };
  std::size_t size = 32;
  while (size < count * 2) size *= 2;
  std::vector<Entry> table(size);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t hashed = hash(i);
    std::size_t at = static_cast<std::size_t>(hashed) & (size - 1);
    while (table[at].index != static_cast<std::size_t>(-1)) {
      if (table[at].hash == hashed && equal(table[at].index, i)) return false;
      at = (at + 1) & (size - 1);
    }
    table[at] = {hashed, i};
  }
  return true;
}

}  // namespace tern::json::detail
