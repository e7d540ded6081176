// Signs and encrypts text that clients keep: cookies, links, tokens.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/http/cookie.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

class Request;

namespace web {
class Keys;
}

// Secrets, of which the first writes tokens and all read them. To replace a secret, put the new one in front, and
// remove the old one when its last token has expired. Servers with the same secrets read each other's tokens.
//
//   app.state(tern::KeyRing::from_file("/etc/shop/keys"));
//
// Thread-safe. A token is text of the base64url alphabet: it fits into cookies, URLs and fields. The purpose
// ("cookie:…", "reset a password") is authenticated with it: a token of one purpose is invalid for another.
class KeyRing {
public:
  // Each secret has at least 32 bytes, from a generator such as generate(). Throws SetupError for shorter ones, for two
  // equal ones, and without any.
  explicit KeyRing(std::vector<std::string> secrets);
  // A file with one secret in each line, the first one writing, as hexadecimal digits; empty lines and lines that begin
  // with '#' are skipped. Throws SetupError, naming file and line, also for a file that every user may read.
  static KeyRing from_file(std::string_view path);
  // The same, separated by commas, in an environment variable.
  static KeyRing from_environment(const char* variable);
  // A new secret as hexadecimal digits.
  static std::string generate();

  KeyRing(const KeyRing& other);
  KeyRing(KeyRing&& other) noexcept = default;
  KeyRing& operator=(KeyRing other) noexcept;

  // The text stays readable, and cannot be changed without the secrets. Without `lifetime` it does not expire.
  std::string sign(std::string_view purpose, std::string_view text, std::optional<Seconds> lifetime = {}) const;
  // The text; unset for a token that is malformed, expired, of another purpose, or not written by these secrets.
  std::optional<std::string> verify(std::string_view purpose, std::string_view token) const;

  // The text cannot be read either (AES-256-GCM); its length can.
  std::string encrypt(std::string_view purpose, std::string_view text, std::optional<Seconds> lifetime = {}) const;
  std::optional<std::string> decrypt(std::string_view purpose, std::string_view token) const;

private:
  base::Box<web::Keys> keys_;
};

// The cookie with its value signed or encrypted, for Response::cookie(). It expires with max_age, also for a client
// that keeps it longer. Its purpose is its name, so that one cookie is not accepted in the place of another.
SetCookie signed_cookie(const KeyRing& keys, SetCookie cookie);
SetCookie encrypted_cookie(const KeyRing& keys, SetCookie cookie);

// The value of the first cookie of that name that is valid; unset if there is none. A subdomain can set cookies of the
// same name: where that matters, the name begins with "__Host-".
std::optional<std::string> find_signed_cookie(const KeyRing& keys, const Request& request, std::string_view name);
std::optional<std::string> find_encrypted_cookie(const KeyRing& keys, const Request& request, std::string_view name);

}  // namespace tern
