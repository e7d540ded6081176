#include "web/digest.hpp"

#include "web/openssl.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include <memory>
#include <stdexcept>

namespace tern::web {
namespace {

constexpr std::size_t hash_size = 32;

using MacContext = std::unique_ptr<EVP_MAC_CTX, OpenSslFree<EVP_MAC_CTX_free>>;

void require_hash(bool succeeded) {
  if (succeeded) return;
  ERR_clear_error();
  throw std::runtime_error("OpenSSL cannot compute a hash");
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::initializer_list<std::string_view> parts) {
  static EVP_MAC* const mac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);  // once: to find an algorithm costs a lock
  require_hash(mac != nullptr);
  const MacContext context(EVP_MAC_CTX_new(mac));
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  require_hash(context != nullptr && EVP_MAC_init(context.get(), bytes_of(key), key.size(), parameters) == 1);
  for (const std::string_view part : parts) {
    require_hash(EVP_MAC_update(context.get(), bytes_of(part), part.size()) == 1);
  }
  std::string result(hash_size, '\0');
  std::size_t size = 0;
  require_hash(EVP_MAC_final(context.get(), bytes_of(result), &size, hash_size) == 1);
  return result;
}

std::string sha256(std::initializer_list<std::string_view> parts) {
  const OpenSslDigest context(EVP_MD_CTX_new());
  require_hash(context != nullptr && EVP_DigestInit_ex(context.get(), fetched_sha256(), nullptr) == 1);
  for (const std::string_view part : parts) {
    require_hash(EVP_DigestUpdate(context.get(), bytes_of(part), part.size()) == 1);
  }
  std::string result(hash_size, '\0');
  require_hash(EVP_DigestFinal_ex(context.get(), bytes_of(result), nullptr) == 1);
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
