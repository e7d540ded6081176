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

// A cookie to set, with secure defaults.
struct SetCookie {
  std::string name;
  std::string value;
  std::string path = "/";
  std::string domain = {};              // empty: this host only
  std::optional<Seconds> max_age = {};  // unset: until the browser closes; zero deletes the cookie
  bool secure = true;
  bool http_only = true;
  SameSite same_site = SameSite::Lax;
  // A separate cookie for each embedding site (CHIPS): in third-party frames with SameSite::None.
  bool partitioned = false;
};

// The value of a Set-Cookie field. Throws std::invalid_argument for a name that is not a token, a value with bytes that
// RFC 6265, section 4.1.1 does not allow, SameSite=None or Partitioned without Secure, and a name prefix
// (case-insensitive) whose conditions are violated: "__Secure-" requires Secure; "__Host-" requires Secure, the path
// "/" and no domain; and more than 4,096 bytes of name and value. Browsers would silently ignore these cookies.
std::string to_field_value(const SetCookie& cookie);

// The value of the first cookie of that name in the Cookie fields.
std::optional<std::string_view> find_cookie(const RequestFields& fields, std::string_view name) noexcept;

}  // namespace tern
