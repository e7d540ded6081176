// Numbers that RFC 8259 allows and simdjson does not represent (section 6 leaves range and precision to us).
//
//   number = [ "-" ] int [ "." 1*DIGIT ] [ ("e" / "E") [ "-" / "+" ] 1*DIGIT ]
//   int    = "0" / ( digit1-9 *DIGIT )

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include "json/document.hpp"

namespace tern::json::detail {

namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && base::is_digit(text[at + count])) ++count;
  return count;
}

enum class Form { Wrong, Integer, Fraction };

Form form_of(std::string_view token) {
  std::size_t at = token.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits_at(token, at);
  if (whole == 0 || (whole > 1 && token[at] == '0')) return Form::Wrong;
  at += whole;
  if (at == token.size()) return Form::Integer;
  if (token[at] == '.') {
    const std::size_t fraction = digits_at(token, ++at);
    if (fraction == 0) return Form::Wrong;
    at += fraction;
  }
  if (at < token.size() && (token[at] == 'e' || token[at] == 'E')) {
    ++at;
    if (at < token.size() && (token[at] == '-' || token[at] == '+')) ++at;
    const std::size_t exponent = digits_at(token, at);
    if (exponent == 0) return Form::Wrong;
    at += exponent;
  }
  return at == token.size() ? Form::Fraction : Form::Wrong;
}

// The exponent of a right number in scientific notation, cut to ±10^9 or so: only its sign matters, for numbers of
// which it is known that double cannot hold them.
std::int64_t magnitude(std::string_view token) {
  constexpr std::int64_t cut = 1'000'000'000;
  std::int64_t exponent = 0;
  if (const std::size_t e = token.find_first_of("eE"); e != std::string_view::npos) {
    const bool negative = token[e + 1] == '-';
    for (const char c : token.substr(e + 1)) {
      if (base::is_digit(c) && exponent < cut) exponent = exponent * 10 + (c - '0');
    }
    if (negative) exponent = -exponent;
    token = token.substr(0, e);
  }
  const std::size_t first = token.find_first_of("123456789");
  if (first == std::string_view::npos) return -1;
  std::size_t point = token.find('.');
  if (point == std::string_view::npos) point = token.size();
  return exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
}

bool fits_64_bits(std::string_view integer) {
  return base::parse_integer<std::int64_t>(integer) || base::parse_integer<std::uint64_t>(integer);
}

// The end of the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at < text.size() ? at + 1 : text.size();
}

}  // namespace

std::string tame_numbers(std::string_view text, std::vector<std::size_t>& too_large) {
  std::string tamed;
  tamed.reserve(text.size() + 64);
  std::size_t numbers = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"') {
      end = end_of_string(text, at);
      tamed.append(text, at, end - at);
    } else if (text[at] == '-' || base::is_digit(text[at])) {
      end = std::min(text.find_first_not_of("0123456789+-.eE", at), text.size());
      const std::string_view token = text.substr(at, end - at);
      const Form form = form_of(token);
      if (form != Form::Wrong && !base::parse_double(token) && magnitude(token) > 0) {
        too_large.push_back(numbers);
        tamed.push_back('0');
      } else {
        tamed.append(token);
        if (form == Form::Integer && !fits_64_bits(token)) tamed.append("e0");
      }
      ++numbers;
    } else {
      tamed.push_back(text[at]);
    }
    at = end;
  }
  return tamed;
}

}  // namespace tern::json::detail
