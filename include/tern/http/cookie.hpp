// Cookies (RFC 6265).
#pragma once

#include <tern/base/duration.hpp>
#include <tern/http/fields.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

enum class SameSite : std::uint8_t { Unset, Lax, Strict, None };

// A cookie to set. Its defaults are the careful ones.
struct SetCookie {
  std::string name;
  std::string value;
  std::string path = "/";
  std::string domain = {};              // empty: this host only
  std::optional<Seconds> max_age = {};  // unset: until the browser closes; zero deletes the cookie
  bool secure = true;
  bool http_only = true;
  SameSite same_site = SameSite::Lax;
  // For each site that embeds this one, a cookie of its own (CHIPS): in third-party frames with SameSite::None.
  bool partitioned = false;
};

// The value of a Set-Cookie field. Throws std::invalid_argument for a name that is not a token, a value with bytes that
// RFC 6265, section 4.1.1 does not allow, for SameSite=None or Partitioned without Secure, and for a name with a
// prefix, in any case of letters, whose conditions it breaks: "__Secure-" has Secure; "__Host-" has Secure, the path
// "/" and no domain. Browsers would drop these cookies without a word.
std::string to_field_value(const SetCookie& cookie);

// The value of the cookie of that name among the Cookie fields.
std::optional<std::string_view> find_cookie(const RequestFields& fields, std::string_view name) noexcept;

}  // namespace tern
