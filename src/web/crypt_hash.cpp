#include "web/crypt_hash.hpp"

#include "web/digest.hpp"

#include <crypt.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <memory>
#include <string>

namespace tern::web {
namespace {

constexpr std::string_view prefixes[] = {"$2a$", "$2b$", "$2y$", "$5$", "$6$", "$7$", "$y$"};

struct Cleanse {
  void operator()(crypt_data* data) const noexcept {
    OPENSSL_cleanse(data, sizeof *data);
    delete data;
  }
};

}  // namespace

bool is_crypt_hash(std::string_view stored) noexcept {
  return std::ranges::any_of(prefixes, [stored](std::string_view prefix) { return stored.starts_with(prefix); });
}

bool verify_crypt_hash(std::string_view password, std::string_view stored) {
  if (!is_crypt_hash(stored) || password.contains('\0') || password.size() >= CRYPT_MAX_PASSPHRASE_SIZE) return false;
  std::string phrase(password);
  const std::string setting(stored);
  const std::unique_ptr<crypt_data, Cleanse> data(new crypt_data());
  const char* const made = ::crypt_r(phrase.c_str(), setting.c_str(), data.get());
  OPENSSL_cleanse(phrase.data(), phrase.size());
  // A failure is "*0" or "*1", which no hash begins with.
  return made != nullptr && equal_in_constant_time(made, stored);
}

}  // namespace tern::web
