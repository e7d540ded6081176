#include <tern/http/cookie.hpp>

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <algorithm>
#include <stdexcept>

namespace tern {
namespace {

constexpr std::size_t max_cookie_size = 4096;  // bytes of name and value (RFC 6265bis, section 5.6)

// cookie-octet of RFC 6265, section 4.1.1.
bool is_cookie_octet(char c) {
  return c > 0x20 && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\';
}

bool is_attribute_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F && c != ';'; });
}

bool has_prefix(std::string_view name, std::string_view prefix) {
  return base::equals_ignoring_case(name.substr(0, prefix.size()), prefix);
}

// Cookie name prefixes (RFC 6265bis, section 4.1.3).
void check_prefix(const SetCookie& cookie) {
  const auto refuse = [&cookie](std::string_view prefix, std::string_view condition) {
    throw std::invalid_argument("cookie '" + cookie.name + "' has the prefix " + std::string(prefix) + ", but " +
                                std::string(condition) + ": browsers refuse it");
  };
  if (has_prefix(cookie.name, "__Secure-") && !cookie.secure) refuse("__Secure-", "is not Secure");
  if (!has_prefix(cookie.name, "__Host-")) return;
  if (!cookie.secure) refuse("__Host-", "is not Secure");
  if (!cookie.domain.empty()) refuse("__Host-", "has a Domain");
  if (cookie.path != "/") refuse("__Host-", "its Path is not '/'");
}

void check(const SetCookie& cookie) {
  if (!base::is_token(cookie.name)) throw std::invalid_argument("cookie name '" + cookie.name + "' is not a token");
  if (!std::ranges::all_of(cookie.value, is_cookie_octet)) {
    throw std::invalid_argument("the value of cookie '" + cookie.name +
                                "' has a byte that cookies cannot hold: encode it");
  }
  if (!is_attribute_value(cookie.path) || !is_attribute_value(cookie.domain)) {
    throw std::invalid_argument("path or domain of cookie '" + cookie.name +
                                "' has a byte that attributes cannot hold");
  }
  if (cookie.same_site == SameSite::None && !cookie.secure) {
    throw std::invalid_argument("cookie '" + cookie.name + "' has SameSite=None without Secure: browsers refuse it");
  }
  if (cookie.max_age && cookie.max_age->count() < 0) {
    throw std::invalid_argument("cookie '" + cookie.name + "' has a negative Max-Age: zero deletes it");
  }
  if (cookie.partitioned && !cookie.secure) {
    throw std::invalid_argument("cookie '" + cookie.name + "' is Partitioned without Secure: browsers refuse it");
  }
  if (cookie.name.size() + cookie.value.size() > max_cookie_size) {
    throw std::invalid_argument("cookie '" + cookie.name + "' has more than 4,096 bytes: browsers ignore it");
  }
  check_prefix(cookie);
}

}  // namespace

std::string to_field_value(const SetCookie& cookie) {
  check(cookie);
  std::string out = cookie.name + '=' + cookie.value;
  if (!cookie.path.empty()) out += "; Path=" + cookie.path;
  if (!cookie.domain.empty()) out += "; Domain=" + cookie.domain;
  if (cookie.max_age) {
    out += "; Max-Age=";
    base::append_number(out, static_cast<long long>(cookie.max_age->count()));
  }
  if (cookie.secure) out += "; Secure";
  if (cookie.http_only) out += "; HttpOnly";
  if (cookie.partitioned) out += "; Partitioned";
  switch (cookie.same_site) {
    case SameSite::Unset: break;
    case SameSite::Lax: out += "; SameSite=Lax"; break;
    case SameSite::Strict: out += "; SameSite=Strict"; break;
    case SameSite::None: out += "; SameSite=None"; break;
  }
  return out;
}

std::optional<std::string_view> find_cookie(const RequestFields& fields, std::string_view name) noexcept {
  for (const Field& field : fields) {
    if (!base::equals_ignoring_case(field.name, "cookie")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const std::size_t end = rest.find(';');
      const std::string_view pair = base::trim(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
      std::string_view value = pair.substr(equals + 1);
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace tern
