// Strict number parsing: the whole text must be the number, without '+', blanks or overflow.
#pragma once

#include <charconv>
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

// A decimal integer; '-' only if T is signed, never '+'. Unset for any other text, or if it does not fit.
template <Integer T>
constexpr std::optional<T> parse_integer(std::string_view text) {
  if constexpr (sizeof(T) < sizeof(long long)) {
    const auto wide = parse_integer<long long>(text);
    if (!wide || *wide < static_cast<long long>(std::numeric_limits<T>::min()) ||
        *wide > static_cast<long long>(std::numeric_limits<T>::max())) {
      return std::nullopt;
    }
    if (std::unsigned_integral<T> && text.front() == '-') return std::nullopt;  // "-0"
    return static_cast<T>(*wide);
  } else {
    T value{};
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return value;
  }
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
