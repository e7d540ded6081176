#include "web/content_disposition.hpp"

#include "web/unicode.hpp"

#include <tern/base/ascii.hpp>

#include <cstddef>

namespace tern::web {
namespace {

// attr-char of RFC 8187, section 3.2.1.
bool is_attribute_char(char c) noexcept {
  return base::is_alpha(c) || base::is_digit(c) || std::string_view("!#$&+-.^_`|~").contains(c);
}

void append_extended(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_attribute_char(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 0xFU]);
  }
}

}  // namespace

std::string attachment(std::string_view file_name) {
  const std::size_t separator = file_name.find_last_of("/\\");
  if (separator != std::string_view::npos) file_name.remove_prefix(separator + 1);
  std::string name;   // in UTF-8
  std::string ascii;  // without quotes and escapes, and without '%', which some clients decode
  while (!file_name.empty()) {
    const std::string_view code_point = take_code_point(file_name);
    name += is_shown(code_point) ? code_point : "_";
    const char c = code_point.front();
    ascii += code_point.size() == 1 && is_shown(code_point) && c != '"' && c != '%' ? c : '_';
  }
  if (name.empty()) return "attachment";
  std::string value = "attachment; filename=\"" + ascii + "\"";
  if (name != ascii) append_extended(value += "; filename*=UTF-8''", name);
  return value;
}

}  // namespace tern::web
