#include "web/gcm_contexts.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <thread>

namespace tern::web {

GcmContexts::GcmContexts(std::span<const unsigned char, key_size> key) noexcept {
  std::ranges::copy(key, key_.begin());
}

GcmContexts::~GcmContexts() {
  OPENSSL_cleanse(key_.data(), key_.size());
  for (const Slot& slot : slots_) EVP_CIPHER_CTX_free(slot.context.load(std::memory_order_relaxed));
}

GcmContexts::Slot& GcmContexts::slot_of_thread() const noexcept {
  const std::size_t hash = std::hash<std::thread::id>()(std::this_thread::get_id());
  return slots_[hash % slots_.size()];
}

OpenSslCipher GcmContexts::take() const {
  OpenSslCipher context(slot_of_thread().context.exchange(nullptr, std::memory_order_acquire));
  if (context) return context;
  context.reset(EVP_CIPHER_CTX_new());
  if (!context || EVP_EncryptInit_ex(context.get(), aes_256_gcm(), nullptr, key_.data(), nullptr) != 1) {
    ERR_clear_error();
    throw std::runtime_error("OpenSSL has no AES-256-GCM");
  }
  return context;
}

void GcmContexts::give(OpenSslCipher context) const noexcept {
  EVP_CIPHER_CTX_free(slot_of_thread().context.exchange(context.release(), std::memory_order_acq_rel));
}

}  // namespace tern::web
