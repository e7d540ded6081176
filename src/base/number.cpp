#include <tern/base/number.hpp>

#include <tern/base/ascii.hpp>

#include <cerrno>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>

namespace tern::base {
namespace {

template <class T>
void append_shortest(std::string& out, T value) {
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, result.ptr);
}

#ifdef __cpp_lib_to_chars
bool parse_whole(std::string_view text, double& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}
#else
// libc++ before version 20 has std::from_chars for integers only.
bool parse_whole(std::string_view text, double& value) {
  if (text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return false;
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string terminated(text);
  char* end = nullptr;
  errno = 0;
  value = strtod_l(terminated.c_str(), &end, locale);
  // A subnormal number is out of range by errno, and is one nevertheless.
  return end == terminated.c_str() + terminated.size() && (errno == 0 || value != 0);
}
#endif

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
  if (!parse_whole(text, value) || !std::isfinite(value)) return std::nullopt;
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
