// Strict number parsing: the whole text must be the number, without '+', blanks or overflow.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tern::base {

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                  !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// Digits only. False, without changing `value`, for any other text, or a number above `most`.
bool parse_digits(std::string_view text, unsigned long long most, unsigned long long& value) noexcept;

// A decimal integer; '-' only if T is signed, never '+'. Unset for any other text, or if it does not fit.
template <Integer T>
std::optional<T> parse_integer(std::string_view text) {
  auto most = static_cast<unsigned long long>(std::numeric_limits<T>::max());
  unsigned long long value = 0;
  if constexpr (std::signed_integral<T>) {
    if (text.starts_with('-')) {
      if (!parse_digits(text.substr(1), most + 1, value)) return std::nullopt;
      return static_cast<T>(0 - value);
    }
  }
  if (!parse_digits(text, most, value)) return std::nullopt;
  return static_cast<T>(value);
}

// A finite decimal floating-point number, with or without an exponent ("1", "-2.5", "1e9"); not "inf" or "nan".
std::optional<double> parse_double(std::string_view text);

// Appends the shortest text that parses to the same number.
void append_number(std::string& out, long long value);
void append_number(std::string& out, unsigned long long value);
void append_number(std::string& out, double value);
void append_number(std::string& out, float value);

template <Integer T>
void append_integer(std::string& out, T value) {
  if constexpr (std::signed_integral<T>) {
    append_number(out, static_cast<long long>(value));
  } else {
    append_number(out, static_cast<unsigned long long>(value));
  }
}

// Appends `value` in decimal, padded with leading zeros to `width`.
void append_padded(std::string& out, unsigned value, std::size_t width);

}  // namespace tern::base
