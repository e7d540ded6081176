#include <tern/web/api_key.hpp>

#include "base/random.hpp"
#include "web/base64url.hpp"
#include "web/digest.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <stdexcept>

namespace tern {
namespace {

constexpr std::size_t secret_digits = 43;  // of 32 bytes as base64url
constexpr std::size_t id_digits = 8;

std::string sha256_digits(std::string_view text) {
  return web::to_hex(web::sha256({text}));
}

bool is_letter_or_digit(char c) noexcept {
  return base::is_alpha(c) || base::is_digit(c);
}

// Of letters and digits only, so that '_' ends it.
std::string random_id() {
  std::string id;
  while (id.size() < id_digits) {
    for (const char c : web::to_base64url(base::random_bytes(12))) {
      if (is_letter_or_digit(c) && id.size() < id_digits) id.push_back(c);
    }
  }
  return id;
}

}  // namespace

ApiKey ApiKey::generate(std::string_view name) {
  if (name.empty() || name.size() > 32 || !std::ranges::all_of(name, &is_letter_or_digit)) {
    throw std::invalid_argument("the name of an API key has up to 32 letters and digits");
  }
  ApiKey made;
  made.prefix = std::string(name) + "_" + random_id();
  made.key = made.prefix + "_" + web::to_base64url(base::random_bytes(32));
  made.hash = sha256_digits(made.key);
  return made;
}

std::string_view ApiKey::prefix_of(std::string_view key) noexcept {
  if (key.size() < secret_digits + id_digits + 3) return {};
  const std::size_t end = key.size() - secret_digits - 1;
  const std::string_view prefix = key.substr(0, end);
  const std::size_t name_end = prefix.find('_');
  const auto fits = [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; };
  if (key[end] != '_' || name_end == 0 || name_end != end - id_digits - 1 || !std::ranges::all_of(key, fits)) return {};
  return prefix;
}

bool ApiKey::verify(std::string_view key, std::string_view hash) {
  return web::equal_in_constant_time(sha256_digits(key), hash);
}

}  // namespace tern
