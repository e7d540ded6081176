// ASCII helpers, independent of the locale: HTTP is defined over octets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::base {

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_alpha(char c) {
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'z';
}

// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// tchar of RFC 9110, section 5.6.2.
constexpr bool is_token_char(char c) {
  constexpr std::uint64_t low = 0x03FF'6CFA'0000'0000;   // !#$%&'*+-. and the digits
  constexpr std::uint64_t high = 0x57FF'FFFF'C7FF'FFFE;  // the letters and ^_`|~
  const auto byte = static_cast<unsigned char>(c);
  return byte < 128 && ((byte < 64 ? low : high) >> (byte % 64) & 1U) != 0;
}

constexpr bool is_token(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (!is_token_char(c)) return false;
  }
  return true;
}

// Case-insensitive comparison of two texts.
constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

// Removes OWS of RFC 9110, section 5.6.3, at both ends: blanks and tabs.
constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace tern::base
