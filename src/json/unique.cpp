#include "json/unique.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace tern::json::detail {
namespace {

__extension__ using Product = unsigned __int128;

struct Secret {
  std::uint64_t first;
  std::uint64_t second;
};

std::uint64_t random_odd() {
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) | 1;
}

const Secret& secret() {
  static const Secret made{random_odd(), random_odd()};
  return made;
}

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Product product = Product{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_integer(std::uint64_t value, std::uint64_t tag) {
  const Secret& key = secret();
  return fold(fold(value ^ key.first, key.second) ^ tag, key.first);
}

// A number that is a 64-bit integer, written with a fraction or not.
bool as_integer(const ScalarValue& value, std::int64_t& integer) {
  if (value.type == ScalarValue::Type::Signed) {
    integer = value.integer;
    return true;
  }
  constexpr double limit = 9223372036854775808.0;  // 2^63
  if (value.type != ScalarValue::Type::Fraction || value.fraction < -limit || value.fraction >= limit) return false;
  integer = static_cast<std::int64_t>(value.fraction);
  return static_cast<double>(integer) == value.fraction;
}

// The same for the integers from 2^63 to 2^64.
bool as_unsigned(const ScalarValue& value, std::uint64_t& integer) {
  if (value.type == ScalarValue::Type::Unsigned) {
    integer = value.unsigned_integer;
    return true;
  }
  constexpr double low = 9223372036854775808.0;
  constexpr double high = 18446744073709551616.0;
  if (value.type != ScalarValue::Type::Fraction || value.fraction < low || value.fraction >= high) return false;
  integer = static_cast<std::uint64_t>(value.fraction);
  return true;
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Secret& key = secret();
  return fold(a ^ key.second, b ^ key.first) ^ a;
}

std::uint64_t hash_of(std::string_view text) {
  const Secret& key = secret();
  std::uint64_t hash = fold(text.size() ^ key.second, key.first);
  for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min(sizeof(word), text.size() - i));
    hash = fold(hash ^ word ^ key.first, key.second) + 1;
  }
  return fold(hash ^ key.first, key.second);
}

std::uint64_t hash_of(const ScalarValue& value) {
  std::int64_t integer = 0;
  std::uint64_t large = 0;
  if (value.type == ScalarValue::Type::Text) return hash_of(value.text);
  if (as_integer(value, integer)) return hash_integer(static_cast<std::uint64_t>(integer), 1);
  if (as_unsigned(value, large)) return hash_integer(large, 2);
  if (value.type == ScalarValue::Type::Fraction) return hash_integer(std::bit_cast<std::uint64_t>(value.fraction), 3);
  return hash_integer(value.unsigned_integer, 4);
}

bool is_equal(const ScalarValue& a, const ScalarValue& b) {
  const bool text = a.type == ScalarValue::Type::Text;
  if (text || b.type == ScalarValue::Type::Text) return text && b.type == ScalarValue::Type::Text && a.text == b.text;
  if ((a.type == ScalarValue::Type::None) != (b.type == ScalarValue::Type::None)) return false;
  std::int64_t left = 0;
  std::int64_t right = 0;
  const bool small = as_integer(a, left);
  if (small != as_integer(b, right)) return false;
  if (small) return left == right;
  std::uint64_t large_left = 0;
  std::uint64_t large_right = 0;
  const bool large = as_unsigned(a, large_left);
  if (large != as_unsigned(b, large_right)) return false;
  if (large) return large_left == large_right;
  if (a.type == ScalarValue::Type::Fraction) return a.fraction == b.fraction;
  return a.unsigned_integer == b.unsigned_integer;
}

}  // namespace tern::json::detail
