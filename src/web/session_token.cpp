#include "web/session_token.hpp"

#include "base/random.hpp"
#include "web/base64url.hpp"
#include "web/digest.hpp"

#include <cstddef>

namespace tern::web {
namespace {

constexpr std::size_t id_bytes = 32;
constexpr std::size_t hash_size = 32;

std::string csrf_mac(std::string_view id) {
  return hmac_sha256(id, {"tern csrf token"});
}

void mask(std::string& bytes, std::string_view by) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ by[i]);
}

}  // namespace

std::string make_session_id() {
  return to_base64url(base::random_bytes(id_bytes));
}

bool is_session_id(std::string_view text) noexcept {
  return text.size() == (id_bytes * 8 + 5) / 6;
}

std::string hash_for_store(std::string_view text) {
  return to_base64url(sha256({text}));
}

std::string make_csrf_token(std::string_view id) {
  const std::string by = base::random_bytes(hash_size);
  std::string masked = csrf_mac(id);
  mask(masked, by);
  return to_base64url(by + masked);
}

bool is_csrf_token(std::string_view token, std::string_view id) {
  const auto bytes = from_base64url(token);
  if (!bytes || bytes->size() != 2 * hash_size) return false;
  std::string mac = bytes->substr(hash_size);
  mask(mac, std::string_view(*bytes).substr(0, hash_size));
  const std::string expected = csrf_mac(id);
  return equal_in_constant_time(mac, expected);
}

}  // namespace tern::web
