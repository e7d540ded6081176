#include "http/authority.hpp"

#include "base/byte_set.hpp"

#include <tern/base/ascii.hpp>

#include <cstddef>
#include <optional>

namespace tern::http {
namespace {

constexpr auto npos = std::string_view::npos;

// unreserved / sub-delims
constexpr bool is_name_char(char c) {
  return base::is_alpha(c) || base::is_digit(c) || std::string_view("-._~!$&'()*+,;=").find(c) != npos;
}
constexpr base::ByteSet name_bytes(is_name_char);

// The end of the reg-name at the begin of `text`; 0 if it is malformed.
std::size_t reg_name_end(std::string_view text) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;; ++at) {
    while (at != end && name_bytes[*at]) ++at;
    if (at == end || *at == ':') return static_cast<std::size_t>(at - text.data());
    if (*at != '%' || end - at < 3 || base::hex_value(at[1]) < 0 || base::hex_value(at[2]) < 0) return 0;
    at += 2;
  }
}

// dec-octet "." dec-octet "." dec-octet "." dec-octet
bool is_ipv4(std::string_view text) noexcept {
  for (int octet = 0; octet < 4; ++octet) {
    std::size_t digits = 0;
    int value = 0;
    while (digits < text.size() && digits < 3 && base::is_digit(text[digits]))
      value = value * 10 + (text[digits++] - '0');
    if (digits == 0 || value > 255 || (digits > 1 && text[0] == '0')) return false;
    text.remove_prefix(digits);
    if (octet == 3) break;
    if (text.empty() || text[0] != '.') return false;
    text.remove_prefix(1);
  }
  return text.empty();
}

// h16 *( ":" h16 ) [ ":" IPv4address ]: the number of 16-bit groups; unset if it is malformed.
std::optional<int> count_groups(std::string_view text, bool ipv4_allowed) noexcept {
  int groups = 0;
  if (text.empty()) return groups;
  for (;;) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == npos && ipv4_allowed && group.find('.') != npos) {
      return is_ipv4(group) ? std::optional(groups + 2) : std::nullopt;
    }
    if (group.empty() || group.size() > 4) return std::nullopt;
    for (const char c : group) {
      if (base::hex_value(c) < 0) return std::nullopt;
    }
    if (++groups > 8) return std::nullopt;
    if (colon == npos) return groups;
    text.remove_prefix(colon + 1);
  }
}

// Eight groups, or fewer around one "::".
bool is_ipv6(std::string_view text) noexcept {
  const std::size_t gap = text.find("::");
  if (gap == npos) return count_groups(text, true) == 8;
  const auto before = count_groups(text.substr(0, gap), false);
  const auto after = count_groups(text.substr(gap + 2), true);
  return before && after && *before + *after <= 7;
}

// "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
bool is_ip_future(std::string_view text) noexcept {
  const std::size_t dot = text.find('.');
  if (text.empty() || base::to_lower(text[0]) != 'v' || dot == npos || dot < 2 || dot + 1 == text.size()) return false;
  for (const char c : text.substr(1, dot - 1)) {
    if (base::hex_value(c) < 0) return false;
  }
  for (const char c : text.substr(dot + 1)) {
    if (!name_bytes[c] && c != ':') return false;
  }
  return true;
}

bool is_port(std::string_view text) noexcept {
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  if (text.size() > 5) return false;
  unsigned value = 0;
  for (const char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    if (digit > 9) return false;
    value = value * 10 + digit;
  }
  return value <= 65535;
}

// The end of the host at the begin of `text`; 0 if it is malformed.
std::size_t host_end(std::string_view text) noexcept {
  if (text.empty()) return 0;
  if (text[0] != '[') return reg_name_end(text);
  const std::size_t bracket = text.find(']');
  if (bracket == npos) return 0;
  const std::string_view address = text.substr(1, bracket - 1);
  return is_ipv6(address) || is_ip_future(address) ? bracket + 1 : 0;
}

}  // namespace

bool is_authority(std::string_view text) noexcept {
  const std::size_t end = host_end(text);
  if (end == 0) return false;
  return end == text.size() || (text[end] == ':' && is_port(text.substr(end + 1)));
}

bool is_authority_with_port(std::string_view text) noexcept {
  return is_authority(text) && base::is_digit(text.back()) && host_end(text) != text.size();
}

}  // namespace tern::http
