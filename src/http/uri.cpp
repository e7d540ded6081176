#include <tern/http/uri.hpp>

#include <tern/base/arena.hpp>
#include <tern/base/ascii.hpp>

namespace tern {
namespace {

std::optional<std::string_view> decode(std::string_view text, Arena& arena, bool plus_is_blank) {
  if (text.find('%') == std::string_view::npos && (!plus_is_blank || text.find('+') == std::string_view::npos)) {
    if (text.find('\0') != std::string_view::npos) return std::nullopt;
    return text;
  }
  auto* const begin = static_cast<char*>(arena.allocate(text.size(), 1));
  char* out = begin;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? base::hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? base::hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    *out++ = c;
  }
  return std::string_view(begin, static_cast<std::size_t>(out - begin));
}

bool is_unreserved(char c) {
  return base::is_alpha(c) || base::is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out.push_back('%');
  out.push_back(digits[byte >> 4U]);
  out.push_back(digits[byte & 0xFU]);
}

}  // namespace

Target split_target(std::string_view target) noexcept {
  Target parts;
  if (!target.starts_with('/') && target != "*") {
    const std::size_t scheme = target.find("://");
    if (scheme == std::string_view::npos) {  // authority-form
      parts.authority = target;
      return parts;
    }
    target.remove_prefix(scheme + 3);
    const std::size_t end = target.find_first_of("/?");
    parts.authority = target.substr(0, end);
    target = end == std::string_view::npos ? std::string_view() : target.substr(end);
    if (target.empty()) target = "/";
  }
  const std::size_t mark = target.find('?');
  parts.path = target.substr(0, mark);
  if (parts.path.empty()) parts.path = "/";  // "http://host?query"
  if (mark != std::string_view::npos) parts.query = target.substr(mark + 1);
  return parts;
}

std::optional<std::string_view> percent_decode(std::string_view text, Arena& arena) {
  return decode(text, arena, false);
}

std::optional<std::string_view> form_decode(std::string_view text, Arena& arena) {
  return decode(text, arena, true);
}

void append_percent_encoded(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (is_unreserved(c)) {
      out.push_back(c);
    } else {
      append_escape(out, c);
    }
  }
}

std::string escape_uri(std::string_view uri) {
  constexpr std::string_view kept = "%:/?#[]@!$&'()*+,;=\r\n";
  std::string out;
  out.reserve(uri.size());
  for (const char c : uri) {
    if (is_unreserved(c) || c == '\0' || kept.contains(c)) {
      out.push_back(c);
    } else {
      append_escape(out, c);
    }
  }
  return out;
}

bool next_pair(std::string_view& rest, std::string_view& name, std::string_view& value) noexcept {
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    name = pair.substr(0, equals);
    value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    return true;
  }
  return false;
}

}  // namespace tern
