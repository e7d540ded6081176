#include "web/session_token.hpp"

#include "web/base64url.hpp"
#include "web/random.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstddef>
#include <stdexcept>

namespace tern::web {
namespace {

constexpr std::size_t id_bytes = 32;
constexpr std::size_t hash_size = 32;

const unsigned char* data_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* data_of(std::string& text) noexcept {
  return reinterpret_cast<unsigned char*>(text.data());
}

std::string csrf_mac(std::string_view id) {
  std::string mac(hash_size, '\0');
  constexpr std::string_view purpose = "tern csrf token";
  if (HMAC(EVP_sha256(), id.data(), static_cast<int>(id.size()), data_of(purpose), purpose.size(), data_of(mac),
           nullptr) == nullptr) {
    throw std::runtime_error("OpenSSL cannot sign");
  }
  return mac;
}

void mask(std::string& bytes, std::string_view by) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ by[i]);
}

}  // namespace

std::string make_session_id() {
  return to_base64url(random_bytes(id_bytes));
}

bool is_session_id(std::string_view text) noexcept {
  return text.size() == (id_bytes * 8 + 5) / 6;
}

std::string hash_for_store(std::string_view text) {
  std::string hash(hash_size, '\0');
  if (EVP_Digest(text.data(), text.size(), data_of(hash), nullptr, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL cannot hash");
  }
  return to_base64url(hash);
}

std::string make_csrf_token(std::string_view id) {
  const std::string by = random_bytes(hash_size);
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
  return CRYPTO_memcmp(mac.data(), expected.data(), hash_size) == 0;
}

}  // namespace tern::web
