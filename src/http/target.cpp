#include "http/target.hpp"

#include "base/byte_set.hpp"
#include "http/authority.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <cstddef>

namespace tern::http {
namespace {

constexpr bool is_visible_char(char c) {
  return c > 0x20 && c < 0x7f;
}
constexpr base::ByteSet plain_in_path([](char c) {
  return is_visible_char(c) && c != '%' && c != '?' && c != '#' && c != '.';
});
constexpr base::ByteSet plain_in_query([](char c) { return is_visible_char(c) && c != '#'; });

TargetFault wrong_byte(char c) noexcept {
  return c == '#' ? TargetFault::Fragment : TargetFault::Byte;
}

// [ "?" query ]
TargetFault check_query(std::string_view text) noexcept {
  for (const char c : text) {
    if (!plain_in_query[c]) return wrong_byte(c);
  }
  return TargetFault::None;
}

// path-abempty [ "?" query ]
TargetFault read_path_and_query(std::string_view text, RequestHead& head) noexcept {
  head.parts.path = text;
  head.plain_path = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (plain_in_path[c]) continue;
    if (c == '.') {
      if (text[at - 1] == '/') head.plain_path = false;  // it follows a slash
      continue;
    }
    if (c == '?') {
      head.parts.path = text.substr(0, at);
      head.parts.query = text.substr(at + 1);
      return check_query(head.parts.query);
    }
    if (c != '%') return wrong_byte(c);
    head.plain_path = false;
    if (text.size() - at < 3) return TargetFault::Escape;
    const int high = base::hex_value(text[at + 1]);
    const int low = base::hex_value(text[at + 2]);
    if (high < 0 || low < 0) return TargetFault::Escape;
    if (high == 0 && low == 0) return TargetFault::Nul;
    at += 2;
  }
  return TargetFault::None;
}

bool begins_with(std::string_view text, std::string_view scheme) noexcept {
  return base::equals_ignoring_case(text.substr(0, scheme.size()), scheme);
}

// "http" [ "s" ] "://" authority path-abempty [ "?" query ]
TargetFault read_absolute(RequestHead& head) noexcept {
  const std::string_view target = head.target;
  const std::size_t scheme = begins_with(target, "http://") ? 7 : begins_with(target, "https://") ? 8 : 0;
  if (scheme == 0) return TargetFault::Form;
  const std::string_view rest = target.substr(scheme);
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  if (!is_authority(rest.substr(0, end))) return TargetFault::Authority;
  const TargetFault fault = read_path_and_query(rest.substr(end), head);
  head.parts = split_target(target);
  return fault;
}

}  // namespace

bool is_visible(std::string_view target) noexcept {
  return std::ranges::all_of(target, is_visible_char);
}

TargetFault read_target(Method method, RequestHead& head) noexcept {
  const std::string_view target = head.target;
  if (method == Method::Connect) {
    head.parts.authority = target;
    return is_authority_with_port(target) ? TargetFault::None : TargetFault::Authority;
  }
  if (target.starts_with('/')) return read_path_and_query(target, head);
  head.parts.path = target;
  if (target == "*") return method == Method::Options ? TargetFault::None : TargetFault::Form;
  return read_absolute(head);
}

}  // namespace tern::http
