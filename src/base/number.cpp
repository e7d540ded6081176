#include <tern/base/number.hpp>

#include <tern/base/ascii.hpp>

#include <charconv>
#include <cmath>

namespace tern::base {
namespace {

template <class T>
void append_shortest(std::string& out, T value) {
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, result.ptr);
}

}  // namespace

bool parse_digits(std::string_view text, unsigned long long most, unsigned long long& value) noexcept {
  if (text.empty()) return false;
  unsigned long long sum = 0;
  for (const char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    if (digit > 9) return false;
    if (sum > (most - digit) / 10) return false;
    sum = sum * 10 + digit;
  }
  value = sum;
  return true;
}

std::optional<double> parse_double(std::string_view text) {
  const std::string_view unsigned_text = text.starts_with('-') ? text.substr(1) : text;
  if (unsigned_text.empty() || !(is_digit(unsigned_text.front()) || unsigned_text.front() == '.')) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

void append_number(std::string& out, long long value) {
  append_shortest(out, value);
}
void append_number(std::string& out, unsigned long long value) {
  append_shortest(out, value);
}
void append_number(std::string& out, double value) {
  append_shortest(out, value);
}
void append_number(std::string& out, float value) {
  append_shortest(out, value);
}

void append_padded(std::string& out, unsigned value, std::size_t width) {
  char digits[16];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  const auto length = static_cast<std::size_t>(result.ptr - digits);
  if (length < width) out.append(width - length, '0');
  out.append(digits, length);
}

}  // namespace tern::base
