#include "tls/ticket_keys.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tern::tls {
namespace {

TicketKey random_key() {
  TicketKey key;
  if (RAND_bytes(key.name.data(), static_cast<int>(key.name.size())) != 1 ||
      RAND_priv_bytes(key.cipher.data(), static_cast<int>(key.cipher.size())) != 1 ||
      RAND_priv_bytes(key.mac.data(), static_cast<int>(key.mac.size())) != 1) {
    throw std::runtime_error("OpenSSL has no random numbers");
  }
  return key;
}

}  // namespace

TicketKeys::TicketKeys() {
  for (TicketKey& key : keys_) key = random_key();
}

TicketKeys::~TicketKeys() {
  OPENSSL_cleanse(keys_.data(), sizeof keys_);
}

void TicketKeys::rotate() {
  TicketKey new_key = random_key();
  {
    const std::lock_guard lock(mutex_);
    std::shift_right(keys_.begin(), keys_.end(), 1);
    keys_.front() = new_key;
  }
  OPENSSL_cleanse(&new_key, sizeof new_key);
}

TicketKey TicketKeys::current() const {
  const std::lock_guard lock(mutex_);
  return keys_.front();
}

std::optional<TicketKey> TicketKeys::find(const unsigned char* name) const {
  const std::lock_guard lock(mutex_);
  for (const TicketKey& key : keys_) {
    if (std::memcmp(key.name.data(), name, key.name.size()) == 0) return key;
  }
  return std::nullopt;
}

}  // namespace tern::tls
