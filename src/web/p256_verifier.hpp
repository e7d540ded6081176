// Signatures of ECDSA over P-256 (FIPS 186-5, section 6.4.2) for a key that verifies many of them.
#pragma once

#include "web/openssl.hpp"

#include <openssl/ec.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace tern::web {

using OpenSslGroup = std::unique_ptr<EC_GROUP, OpenSslFree<EC_GROUP_free>>;

// Has a table of the multiples of the key's point, as OpenSSL itself has one of the curve's generator: a verification
// takes half of the time. The table takes 150 KB, which copies share, and about 20 ms to compute. Thread-safe.
class P256Verifier {
public:
  // Unset for a key of another curve, and where OpenSSL cannot make a table.
  static std::optional<P256Verifier> make(const EVP_PKEY& key);

  P256Verifier(const P256Verifier& other);
  P256Verifier(P256Verifier&&) noexcept = default;
  P256Verifier& operator=(const P256Verifier&) = delete;
  P256Verifier& operator=(P256Verifier&&) noexcept = default;
  ~P256Verifier() = default;

  // `signature`: R and S of 32 bytes each (RFC 7518, section 3.4). False also if OpenSSL has no memory.
  bool verify(std::string_view text, std::string_view signature) const;

private:
  explicit P256Verifier(OpenSslGroup group) noexcept : group_(std::move(group)) {}

  OpenSslGroup group_;  // P-256, but with the key's point in the place of the generator
};

}  // namespace tern::web
