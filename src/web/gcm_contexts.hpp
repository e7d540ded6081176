// Contexts of AES-256-GCM that have their key: to set a key takes as long as to decrypt a cookie.
#pragma once

#include "web/openssl.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <span>

namespace tern::web {

class GcmContexts {
public:
  static constexpr std::size_t key_size = 32;

  explicit GcmContexts(std::span<const unsigned char, key_size> key) noexcept;
  // A copy has contexts of its own.
  GcmContexts(const GcmContexts& other) noexcept : GcmContexts(other.key_) {}
  GcmContexts& operator=(const GcmContexts&) = delete;
  ~GcmContexts();

  // From one call to the next: EVP_EncryptInit_ex or EVP_DecryptInit_ex with a nonce come next. Throws
  // std::runtime_error if OpenSSL cannot make one. Thread-safe.
  OpenSslCipher take() const;
  // For the next one who takes it.
  void give(OpenSslCipher context) const noexcept;

private:
  struct alignas(64) Slot {
    std::atomic<EVP_CIPHER_CTX*> context = nullptr;
  };
  Slot& slot_of_thread() const noexcept;

  std::array<unsigned char, key_size> key_;
  mutable std::array<Slot, 16> slots_;  // of threads by their ids; two with the same one take turns
};

}  // namespace tern::web
