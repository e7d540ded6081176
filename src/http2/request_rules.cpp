#include "http2/request_rules.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>

namespace tern::http2 {
namespace {

constexpr std::size_t max_digits = 19;  // of a Content-Length, as in HTTP/1.1: they fit into 64 bits

// Applies one of nghttp2's character checks.
bool holds(int (*check)(const std::uint8_t*, std::size_t), std::string_view text) noexcept {
  return check(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()) != 0;
}

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

// RFC 3986, section 3.1.
bool is_scheme(std::string_view text) noexcept {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto more = [letter](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, more);
}

bool is_http(std::string_view scheme) noexcept {
  return base::equals_ignoring_case(scheme, "http") || base::equals_ignoring_case(scheme, "https");
}

// Takes the text up to the next `end` outside of a quoted string, and removes both.
std::string_view take_until(std::string_view& rest, char end) noexcept {
  bool quoted = false;
  std::size_t size = 0;
  for (; size < rest.size() && (quoted || rest[size] != end); ++size) {
    if (rest[size] == '"') quoted = !quoted;
  }
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return taken;
}

}  // namespace

// A dictionary (RFC 8941, section 3.2): the last member of a name counts.
std::optional<Priority> parse_priority(std::string_view value, std::optional<Priority> before) noexcept {
  Priority priority = before.value_or(Priority());
  while (!value.empty()) {
    std::string_view parts = take_until(value, ',');
    const std::string_view member = base::trim(take_until(parts, ';'));
    if (member.size() == 3 && member.starts_with("u=") && member[2] >= '0' && member[2] <= '7') {
      priority.urgency = static_cast<std::uint8_t>(member[2] - '0');
    } else if (member == "i" || member == "i=?1") {
      priority.incremental = true;
    } else if (member == "i=?0") {
      priority.incremental = false;
    } else {
      continue;
    }
    before = priority;
  }
  return before;
}

void RequestRules::begin(bool trailers) noexcept {
  trailers_ = trailers;
  seen_ = 0;
  length_.reset();
  priority_.reset();
}

bool RequestRules::once(Seen what) noexcept {
  if (has(what)) return false;
  seen_ |= what;
  return true;
}

RequestRules::Verdict RequestRules::field(std::string_view name, bool literal, std::string_view value) noexcept {
  const bool pseudo = name.starts_with(':');
  if (pseudo && (trailers_ || has(Plain))) return Verdict::Malformed;
  if (!pseudo) seen_ |= Plain;
  if (!literal && !holds(&nghttp2_check_header_name, name)) {
    const bool upper = std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
    return pseudo || upper ? Verdict::Malformed : Verdict::Invalid;
  }
  return pseudo ? pseudo_field(name, value) : plain_field(name, value);
}

RequestRules::Verdict RequestRules::pseudo_field(std::string_view name, std::string_view value) noexcept {
  bool good = !is_blank(value);
  if (name == ":method") {
    good = good && once(MethodField) && holds(&nghttp2_check_method, value);
    if (value == "CONNECT") seen_ |= Connect;
    if (value == "OPTIONS") seen_ |= Options;
  } else if (name == ":path") {
    good = good && once(Path) && holds(&nghttp2_check_path, value);
    if (value.starts_with('/')) seen_ |= Slash;
    if (value == "*") seen_ |= Asterisk;
  } else if (name == ":authority") {
    good = good && once(Authority) && holds(&nghttp2_check_authority, value);
  } else if (name == ":scheme") {
    good = good && once(Scheme) && is_scheme(value);
    if (is_http(value)) seen_ |= HttpScheme;
  } else if (name == ":protocol" && extended_connect_) {
    good = good && once(Protocol) && holds(&nghttp2_check_header_value_rfc9113, value);
  } else {
    good = false;
  }
  return good ? Verdict::Good : Verdict::Malformed;
}

RequestRules::Verdict RequestRules::plain_field(std::string_view name, std::string_view value) noexcept {
  const bool is_host = name == "host";
  const bool fit = is_host ? holds(&nghttp2_check_authority, value) : holds(&nghttp2_check_header_value_rfc9113, value);
  if (!fit) return Verdict::Invalid;
  bool good = true;
  switch (name.size()) {
    case 2: good = name != "te" || base::equals_ignoring_case(value, "trailers"); break;
    case 4: good = !is_host || (!is_blank(value) && once(Host)); break;
    case 7: good = name != "upgrade"; break;
    case 8:
      if (name == "priority" && !trailers_) priority_ = parse_priority(value, priority_);
      break;
    case 10: good = name != "connection" && name != "keep-alive"; break;
    case 14:
      if (name != "content-length") break;
      good = !length_ && !trailers_;
      length_ = base::parse_integer<std::uint64_t>(value);
      good = good && length_ && value.size() <= max_digits;
      break;
    case 16: good = name != "proxy-connection"; break;
    case 17: good = name != "transfer-encoding"; break;
    default: break;
  }
  return good ? Verdict::Good : Verdict::Malformed;
}

bool RequestRules::complete() const noexcept {
  if (!has(MethodField)) return false;
  if (has(Connect) && !has(Protocol)) return has(Authority) && !has(Scheme) && !has(Path);
  if (!has(Path) || !has(Scheme) || (!has(Authority) && !has(Host))) return false;
  if (has(Protocol) && !(has(Connect) && has(Authority))) return false;
  return !has(HttpScheme) || has(Slash) || (has(Options) && has(Asterisk));
}

std::optional<std::uint64_t> RequestRules::length() const noexcept {
  return has(Connect) && !has(Protocol) ? std::nullopt : length_;
}

}  // namespace tern::http2
