// E-mail addresses, URIs, UUIDs, IP addresses and names of hosts. All are linear in the text.
//
//   Mailbox       = Local-part "@" ( Domain / address-literal )              RFC 5321, section 4.1.2
//   Local-part    = atom *("." atom) / Quoted-string                         at most 64 octets (section 4.5.3.1.1)
//   URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]      RFC 3986, appendix A
//   UUID          = 8HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 12HEXDIG RFC 9562, section 4
//   hostname      = label *("." label), label = alnum [ *61( alnum / "-" ) alnum ]   RFC 1123, section 2.1

#include "json/formats.hpp"

#include <cstddef>

#include <tern/base/ascii.hpp>

namespace tern::json::detail {
namespace {

constexpr unsigned char alpha = 1;
constexpr unsigned char digit = 2;
constexpr unsigned char hex = 4;
constexpr unsigned char atext = 8;      // RFC 5322, section 3.2.3
constexpr unsigned char uri_mark = 16;  // unreserved marks and sub-delimiters of RFC 3986

struct Classes {
  unsigned char of[256] = {};
};

constexpr Classes classes = [] {
  Classes made;
  const auto add = [&made](std::string_view characters, unsigned bits) {
    for (const char c : characters) {
      unsigned char& entry = made.of[static_cast<unsigned char>(c)];
      entry = static_cast<unsigned char>(entry | bits);
    }
  };
  add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", alpha | atext);
  add("0123456789", digit | hex | atext);
  add("abcdefABCDEF", hex);
  add("!#$%&'*+-/=?^_`{|}~", atext);
  add("-._~!$&'()*+,;=", uri_mark);
  return made;
}();

bool is_a(char c, unsigned bits) {
  return (classes.of[static_cast<unsigned char>(c)] & bits) != 0;
}
bool is_alpha(char c) {
  return is_a(c, alpha);
}
bool is_alnum(char c) {
  return is_a(c, alpha | digit);
}
bool is_hex(char c) {
  return is_a(c, hex);
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
  std::size_t label = 0;
  char before = '.';
  for (const char c : text) {
    if (c == '.') {
      if (!is_alnum(before)) return false;
      label = 0;
    } else {
      const bool is_inner_hyphen = c == '-' && before != '.';
      if (++label > 63 || (!is_alnum(c) && !is_inner_hyphen)) return false;
    }
    before = c;
  }
  return is_alnum(before);
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

bool is_local_part(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  if (text.front() == '"') return is_quoted_string(text);
  bool in_atom = false;
  for (const char c : text) {
    const bool ends_atom = c == '.' && in_atom;
    if (!ends_atom && !is_a(c, atext)) return false;
    in_atom = !ends_atom;
  }
  return in_atom;
}

bool is_address_literal(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  constexpr std::string_view tag = "IPv6:";
  if (base::equals_ignoring_case(text.substr(0, tag.size()), tag)) return is_ipv6(text.substr(tag.size()));
  return is_ipv4(text);
}

bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || text.size() > 254) return false;
  const std::string_view domain = text.substr(at + 1);
  return is_local_part(text.substr(0, at)) && (is_hostname(domain) || is_address_literal(domain));
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

// Characters of `text`, each unreserved, a sub-delimiter, one of `others`, or percent-encoded.
bool consists_of(std::string_view text, std::string_view others) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
    } else if (!is_a(c, alpha | digit | uri_mark) && (c == '\0' || others.find(c) == std::string_view::npos)) {
      return false;
    }
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
  return consists_of(text, ":");
}

// [ userinfo "@" ] host [ ":" port ]
bool is_authority(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!consists_of(text.substr(0, at), ":")) return false;
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
    if (!consists_of(host, "")) return false;
    port = text;
  }
  for (const char c : port) {
    if (!base::is_digit(c)) return false;
  }
  return true;
}

bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_alpha(text.front())) return false;
  for (const char c : text.substr(0, colon)) {
    if (!is_alnum(c) && c != '+' && c != '-' && c != '.') return false;
  }
  text.remove_prefix(colon + 1);
  const std::size_t hash = text.find('#');
  if (hash != std::string_view::npos) {
    if (!consists_of(text.substr(hash + 1), ":@/?")) return false;
    text = text.substr(0, hash);
  }
  const std::size_t query = text.find('?');
  if (query != std::string_view::npos) {
    if (!consists_of(text.substr(query + 1), ":@/?")) return false;
    text = text.substr(0, query);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t path = text.find('/');
    return is_authority(text.substr(0, path)) &&
           (path == std::string_view::npos || consists_of(text.substr(path), ":@/"));
  }
  return consists_of(text, ":@/");
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
