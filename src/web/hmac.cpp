#include "web/hmac.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <memory>
#include <stdexcept>

namespace tern::web {
namespace {

constexpr std::size_t hash_size = 32;

struct FreeMac {
  void operator()(EVP_MAC* mac) const noexcept { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const noexcept { EVP_MAC_CTX_free(context); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

const unsigned char* octets(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

void require_hash(bool succeeded) {
  if (succeeded) return;
  ERR_clear_error();
  throw std::runtime_error("OpenSSL cannot compute a hash");
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::initializer_list<std::string_view> parts) {
  const std::unique_ptr<EVP_MAC, FreeMac> mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  require_hash(mac != nullptr);
  const std::unique_ptr<EVP_MAC_CTX, FreeMac> context(EVP_MAC_CTX_new(mac.get()));
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  require_hash(context != nullptr && EVP_MAC_init(context.get(), octets(key), key.size(), parameters) == 1);
  for (const std::string_view part : parts) {
    require_hash(EVP_MAC_update(context.get(), octets(part), part.size()) == 1);
  }
  std::string result(hash_size, '\0');
  std::size_t size = 0;
  require_hash(EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(result.data()), &size, hash_size) == 1);
  return result;
}

std::string sha256(std::initializer_list<std::string_view> parts) {
  const std::unique_ptr<EVP_MD_CTX, FreeMac> context(EVP_MD_CTX_new());
  require_hash(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  for (const std::string_view part : parts) {
    require_hash(EVP_DigestUpdate(context.get(), octets(part), part.size()) == 1);
  }
  std::string result(hash_size, '\0');
  require_hash(EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(result.data()), nullptr) == 1);
  return result;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.push_back(digits[byte >> 4U]);
    text.push_back(digits[byte & 0xFU]);
  }
  return text;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tern::web
