#include <tern/web/key_ring.hpp>
#include <tern/web/secret_cookie.hpp>

#include "base/random.hpp"
#include "web/clock.hpp"
#include "web/cookies.hpp"
#include "web/keys.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>
#include <tern/http/request.hpp>

#include <sys/stat.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace tern {
namespace {

std::int64_t expiry(std::optional<Seconds> lifetime) {
  return lifetime ? std::max<std::int64_t>(web::unix_time() + lifetime->count(), 1) : 0;
}

std::string decoded_secret(std::string_view digits, const std::string& place) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = base::hex_value(digits[i]);
    const int low = base::hex_value(digits[i + 1]);
    if (high < 0 || low < 0) break;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  if (bytes.size() * 2 != digits.size() || bytes.size() < 32) {
    throw SetupError("KeyRing: " + place +
                     " is not a secret of at least 64 hexadecimal digits: make one by tern::KeyRing::generate()");
  }
  return bytes;
}

template <class Read>
std::optional<std::string> first_valid(const Request& request, std::string_view name, Read read) {
  std::optional<std::string> found;
  int left = 8;  // a client may send very many
  web::for_cookies(request.fields(), name, [&](std::string_view value) {
    if (!found && left-- > 0) found = read(value);
  });
  return found;
}

std::string purpose_of(std::string_view cookie) {
  return "cookie:" + std::string(cookie);
}

}  // namespace

KeyRing::KeyRing(std::vector<std::string> secrets) : keys_(base::make_box<web::Keys>(std::move(secrets))) {}

KeyRing::KeyRing(const KeyRing& other) : keys_(base::make_box<web::Keys>(*other.keys_)) {}

KeyRing& KeyRing::operator=(KeyRing other) noexcept {
  keys_ = std::move(other.keys_);
  return *this;
}

KeyRing KeyRing::from_file(std::string_view path) {
  const std::string name(path);
  std::ifstream file(name);
  struct stat status{};
  if (!file || ::stat(name.c_str(), &status) != 0) throw SetupError("KeyRing: the file '" + name + "' cannot be read");
  if ((status.st_mode & S_IRWXO) != 0) {
    throw SetupError("KeyRing: every user may use the file '" + name + "': chmod o= '" + name + "'");
  }
  std::vector<std::string> secrets;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view digits = base::trim(line);
    if (digits.empty() || digits.starts_with('#')) continue;
    secrets.push_back(decoded_secret(digits, "line " + std::to_string(number) + " of '" + name + "'"));
  }
  if (secrets.empty()) throw SetupError("KeyRing: the file '" + name + "' has no secret");
  return KeyRing(std::move(secrets));
}

KeyRing KeyRing::from_environment(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') {
    throw SetupError("KeyRing: the environment variable " + std::string(variable) + " is not set");
  }
  std::vector<std::string> secrets;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    secrets.push_back(decoded_secret(base::trim(rest.substr(0, comma)),
                                     "number " + std::to_string(secrets.size() + 1) + " of " + variable));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return KeyRing(std::move(secrets));
}

std::string KeyRing::generate() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : base::random_bytes(32)) {
    text.push_back(digits[static_cast<unsigned char>(byte) >> 4U]);
    text.push_back(digits[static_cast<unsigned char>(byte) & 15U]);
  }
  return text;
}

std::string KeyRing::sign(std::string_view purpose, std::string_view text, std::optional<Seconds> lifetime) const {
  return keys_->sign(purpose, text, expiry(lifetime));
}

std::optional<std::string> KeyRing::verify(std::string_view purpose, std::string_view token) const {
  return keys_->verify(purpose, token, web::unix_time());
}

std::string KeyRing::encrypt(std::string_view purpose, std::string_view text, std::optional<Seconds> lifetime) const {
  return keys_->encrypt(purpose, text, expiry(lifetime));
}

std::optional<std::string> KeyRing::decrypt(std::string_view purpose, std::string_view token) const {
  return keys_->decrypt(purpose, token, web::unix_time());
}

SetCookie signed_cookie(const KeyRing& keys, SetCookie cookie) {
  cookie.value = keys.sign(purpose_of(cookie.name), cookie.value, cookie.max_age);
  return cookie;
}

SetCookie encrypted_cookie(const KeyRing& keys, SetCookie cookie) {
  cookie.value = keys.encrypt(purpose_of(cookie.name), cookie.value, cookie.max_age);
  return cookie;
}

std::optional<std::string> find_signed_cookie(const KeyRing& keys, const Request& request, std::string_view name) {
  return first_valid(request, name, [&](std::string_view value) { return keys.verify(purpose_of(name), value); });
}

std::optional<std::string> find_encrypted_cookie(const KeyRing& keys, const Request& request, std::string_view name) {
  return first_valid(request, name, [&](std::string_view value) { return keys.decrypt(purpose_of(name), value); });
}

namespace web {

std::expected<std::string, Rejection> secret_cookie(const Request& request, std::string_view name, FindCookie find) {
  const void* keys = app::find_state(request, needed_keys.key);
  if (keys == nullptr) app::throw_nothing_given(needed_keys.name);
  if (auto value = find(*static_cast<const KeyRing*>(keys), request, name)) return std::move(*value);
  return std::unexpected(app::missing("cookie", name));
}

}  // namespace web
}  // namespace tern
