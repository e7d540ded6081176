// E-mail addresses, URIs, UUIDs, IP addresses and names of hosts. All are linear in the text.
//
//   Mailbox       = Local-part "@" ( Domain / address-literal )              RFC 5321, section 4.1.2
//   Local-part    = atom *("." atom) / Quoted-string                         at most 64 octets (section 4.5.3.1.1)
//   URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]      RFC 3986, appendix A
//   UUID          = 8HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 12HEXDIG RFC 9562, section 4
//   hostname      = label *("." label), label = alnum [ *61( alnum / "-" ) alnum ]   RFC 1123, section 2.1

#include "json/formats.hpp"

#include "json/byte_masks.hpp"

#include <cstddef>
#include <cstdint>

#include <tern/base/ascii.hpp>

namespace tern::json::detail {
namespace {

constexpr unsigned alpha = 1;
constexpr unsigned digit = 2;
constexpr unsigned hex = 4;
constexpr unsigned atext = 8;       // RFC 5322, section 3.2.3
constexpr unsigned of_label = 16;   // of a name of a host
constexpr unsigned of_host = 32;    // unreserved or a sub-delimiter of RFC 3986
constexpr unsigned of_user = 64;    // also ":"
constexpr unsigned of_path = 128;   // also "@" and "/"
constexpr unsigned of_query = 256;  // also "?"
constexpr unsigned of_scheme = 512;

struct Classes {
  std::uint16_t of[256] = {};
};

constexpr Classes classes = [] {
  Classes made;
  const auto add = [&made](std::string_view characters, unsigned bits) {
    for (const char c : characters) {
      std::uint16_t& entry = made.of[static_cast<unsigned char>(c)];
      entry = static_cast<std::uint16_t>(entry | bits);
    }
  };
  constexpr unsigned everywhere = of_host | of_user | of_path | of_query;
  add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", alpha | atext | of_label | of_scheme | everywhere);
  add("0123456789", digit | hex | atext | of_label | of_scheme | everywhere);
  add("abcdefABCDEF", hex);
  add("!#$%&'*+-/=?^_`{|}~", atext);
  add("-", of_label);
  add("+-.", of_scheme);
  add("-._~!$&'()*+,;=", everywhere);
  add(":", of_user | of_path | of_query);
  add("@/", of_path | of_query);
  add("?", of_query);
  return made;
}();

bool is_a(char c, unsigned bits) {
  return (classes.of[static_cast<unsigned char>(c)] & bits) != 0;
}
bool is_hex(char c) {
  return is_a(c, hex);
}

// Behind the characters of the set from `at` on.
const char* skip(const char* at, const char* end, unsigned bits) {
  while (at != end && is_a(*at, bits)) ++at;
  return at;
}

// The text before the separator, which is removed with it; all if there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

bool is_hostname(std::string_view text) {
  if (text.size() > 253) return false;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;; ++at) {
    const char* const label = at;
    at = skip(at, end, of_label);
    if (at == label || at - label > 63 || *label == '-' || at[-1] == '-') return false;
    if (at == end) return true;
    if (*at != '.') return false;
  }
}

bool is_ipv4(std::string_view text) {
  if (text.empty() || text.back() == '.') return false;
  int parts = 0;
  while (!text.empty()) {
    const std::string_view part = take_until(text, '.');
    if (part.empty() || part.size() > 3 || (part.size() > 1 && part.front() == '0')) return false;
    int value = 0;
    for (const char c : part) {
      if (!base::is_digit(c)) return false;
      value = value * 10 + (c - '0');
    }
    if (value > 255) return false;
    ++parts;
  }
  return parts == 4;
}

// A part of an IPv6 address without "::": groups of 1 to 4 digits, the last of which may be an IPv4 address, which
// counts twice. -1 if it is malformed.
int ipv6_groups(std::string_view text, bool ipv4_allowed) {
  if (text.empty()) return 0;
  if (text.back() == ':') return -1;
  int groups = 0;
  while (!text.empty()) {
    const std::string_view group = take_until(text, ':');
    if (text.empty() && ipv4_allowed && is_ipv4(group)) return groups + 2;
    if (group.empty() || group.size() > 4) return -1;
    for (const char c : group) {
      if (!is_hex(c)) return -1;
    }
    if (++groups > 8) return -1;
  }
  return groups;
}

bool is_ipv6(std::string_view text) {
  if (text.size() > 45) return false;
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return ipv6_groups(text, true) == 8;
  const int before = ipv6_groups(text.substr(0, gap), false);
  const int after = ipv6_groups(text.substr(gap + 2), true);
  return before >= 0 && after >= 0 && before + after <= 7;
}

bool is_quoted_string(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return false;
    if (text[i] == '\\' && ++i == text.size()) return false;
    if (text[i] < ' ' || text[i] > '~') return false;
  }
  return true;
}

// Behind the local part, which is not quoted; null if there is none.
const char* skip_atoms(const char* at, const char* end) {
  for (;; ++at) {
    const char* const atom = at;
    at = skip(at, end, atext);
    if (at == atom) return nullptr;
    if (at == end || *at != '.') return at;
  }
}

bool is_address_literal(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  constexpr std::string_view tag = "IPv6:";
  if (base::equals_ignoring_case(text.substr(0, tag.size()), tag)) return is_ipv6(text.substr(tag.size()));
  return is_ipv4(text);
}

// Whether it certainly is a mailbox: most have letters, digits, dots and dashes only, and few bytes, so that neither
// part is too long.
bool is_plain_email(std::string_view text) {
#if defined(__SSE2__)
  if (!has_mask(text.size())) return false;
  std::uint64_t words = 0;
  std::uint64_t dashes = 0;
  std::uint64_t dots = 0;
  std::uint64_t signs = 0;
  MaskedText(text.data(), text.size()).each_block([&](__m128i bytes, auto place) {
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(' '));
    words |= place(_mm_or_si128(in_range(lower, 'a', 'z'), in_range(bytes, '0', '9')));
    dashes |= place(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('-')));
    dots |= place(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
    signs |= place(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('@')));
  });
  const std::uint64_t end = std::uint64_t{1} << text.size();
  const bool is_known = (words | dashes | dots | signs) == end - 1;
  const bool is_single = signs != 0 && (signs & (signs - 1)) == 0;
  // No part is empty.
  const std::uint64_t separators = dots | signs;
  const std::uint64_t firsts = separators << 1U | 1U;
  const std::uint64_t ends = separators | end;
  // Labels of the domain neither begin nor end with a dash.
  const std::uint64_t domain = ~(signs | (signs - 1));
  return is_known && is_single && (firsts & ends) == 0 && (dashes & domain & (firsts | ends >> 1U)) == 0;
#else
  static_cast<void>(text);
  return false;
#endif
}

bool is_email(std::string_view text) {
  if (is_plain_email(text)) return true;
  constexpr std::size_t max_local_part = 64;
  if (text.empty() || text.size() > 254) return false;
  std::size_t local_part = 0;
  if (text.front() == '"') {
    local_part = text.rfind('@');
    if (local_part == std::string_view::npos || !is_quoted_string(text.substr(0, local_part))) return false;
  } else {
    const char* const behind = skip_atoms(text.data(), text.data() + text.size());
    if (behind == nullptr) return false;
    local_part = static_cast<std::size_t>(behind - text.data());
    if (local_part == text.size() || *behind != '@') return false;
  }
  if (local_part > max_local_part) return false;
  const std::string_view domain = text.substr(local_part + 1);
  return domain.starts_with('[') ? is_address_literal(domain) : is_hostname(domain);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return false;
  int found = 0;
  for (const char c : text) found += is_hex(c) ? 1 : 0;
  return found == 32;
}

// Characters of the set, or percent-encoded ones.
bool consists_of(std::string_view text, unsigned bits) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while ((at = skip(at, end, bits)) != end) {
    if (*at != '%' || end - at < 3 || !is_hex(at[1]) || !is_hex(at[2])) return false;
    at += 3;
  }
  return true;
}

bool is_future_address(std::string_view text) {  // IPvFuture
  if (text.size() < 4 || base::to_lower(text.front()) != 'v') return false;
  text.remove_prefix(1);
  const std::string_view version = take_until(text, '.');
  if (version.empty() || text.empty() || text.find('%') != std::string_view::npos) return false;
  for (const char c : version) {
    if (!is_hex(c)) return false;
  }
  return consists_of(text, of_user);
}

// [ userinfo "@" ] host [ ":" port ]
bool is_authority(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!consists_of(text.substr(0, at), of_user)) return false;
    text.remove_prefix(at + 1);
  }
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view literal = text.substr(1, end - 1);
    if (!is_ipv6(literal) && !is_future_address(literal)) return false;
    port = text.substr(end + 1);
    if (!port.empty() && port.front() != ':') return false;
    if (!port.empty()) port.remove_prefix(1);
  } else {
    const std::string_view host = take_until(text, ':');
    if (!consists_of(host, of_host)) return false;
    port = text;
  }
  for (const char c : port) {
    if (!base::is_digit(c)) return false;
  }
  return true;
}

bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_a(text.front(), alpha)) return false;
  if (skip(text.data(), text.data() + colon, of_scheme) != text.data() + colon) return false;
  text.remove_prefix(colon + 1);
  const std::size_t hash = text.find('#');
  if (hash != std::string_view::npos) {
    if (!consists_of(text.substr(hash + 1), of_query)) return false;
    text = text.substr(0, hash);
  }
  const std::size_t query = text.find('?');
  if (query != std::string_view::npos) {
    if (!consists_of(text.substr(query + 1), of_query)) return false;
    text = text.substr(0, query);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t path = text.find('/');
    return is_authority(text.substr(0, path)) &&
           (path == std::string_view::npos || consists_of(text.substr(path), of_path));
  }
  return consists_of(text, of_path);
}

}  // namespace

bool has_format(Format format, std::string_view text) {
  switch (format) {
    case Format::Email: return is_email(text);
    case Format::Uri: return is_uri(text);
    case Format::Uuid: return is_uuid(text);
    case Format::Date: return is_date(text);
    case Format::DateTime: return is_date_time(text);
    case Format::Ipv4: return is_ipv4(text);
    case Format::Ipv6: return is_ipv6(text);
    case Format::Hostname: return is_hostname(text);
  }
  return true;
}

}  // namespace tern::json::detail
