// Text that JSON writes as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tern::json {

constexpr std::uint64_t repeated_byte(unsigned char byte) {
  return 0x0101010101010101U * byte;
}

// The high bit of each byte of the result says whether that byte of `word` must not be copied blindly into a JSON
// string: a control character, '"', '\', or not ASCII. (Bytes above a hit may be marked without need; below it, never.)
constexpr std::uint64_t special_bytes(std::uint64_t word) {
  const std::uint64_t quote = word ^ repeated_byte('"');
  const std::uint64_t backslash = word ^ repeated_byte('\\');
  const std::uint64_t found =
      (word - repeated_byte(0x20)) | (quote - repeated_byte(1)) | (backslash - repeated_byte(1)) | word;
  return found & repeated_byte(0x80);
}

constexpr bool is_special(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == '"' || byte == '\\' || byte >= 0x80;
}

// Whether all of it can be copied as it is. The last word overlaps the one before, so that few bytes are checked alone.
inline bool is_plain(std::string_view text) {
  const auto load = [](const char* from, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, size);
    return word;
  };
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (text.size() >= 8) {
    std::uint64_t found = special_bytes(load(end - 8, 8));
    for (const char* at = begin; at + 8 < end; at += 8) found |= special_bytes(load(at, 8));
    return found == 0;
  }
  if (text.size() >= 4) return special_bytes(load(begin, 4) | load(end - 4, 4) << 32U) == 0;
  for (const char c : text) {
    if (is_special(c)) return false;
  }
  return true;
}

}  // namespace tern::json
