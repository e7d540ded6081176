// A key of JSON Web Signatures, with its one algorithm (RFC 7518, section 3; RFC 8037).
#pragma once

#include "web/openssl.hpp"
#include "web/p256_verifier.hpp"

#include <tern/web/jwt.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

enum class JwtFamily : std::uint8_t { Hmac, Rsa, RsaPss, Ecdsa, Eddsa };

struct JwtAlgorithmFacts {
  JwtAlgorithm algorithm;
  std::string_view name;
  JwtFamily family;
  const EVP_MD* (*digest)();        // null: the algorithm has its own
  std::size_t size;                 // of the hash, or of a coordinate of the curve, in bytes
  std::string_view curve;           // OpenSSL's name
  std::string_view jwk_curve = {};  // RFC 7518, section 6.2.1.1
};

const JwtAlgorithmFacts& facts_of(JwtAlgorithm algorithm) noexcept;
// Null for another name. Names are case-sensitive.
const JwtAlgorithmFacts* find_algorithm(std::string_view name) noexcept;

class JwtKeyMaterial {
public:
  // Throws SetupError, beginning with `title`, if the key does not fit the algorithm.
  static JwtKeyMaterial secret(JwtAlgorithm algorithm, std::string_view secret, std::string id);
  JwtKeyMaterial(JwtAlgorithm algorithm, OpenSslKey key, bool is_private, std::string id);

  JwtKeyMaterial(const JwtKeyMaterial& other);
  JwtKeyMaterial(JwtKeyMaterial&& other) noexcept = default;
  JwtKeyMaterial& operator=(const JwtKeyMaterial&) = delete;
  JwtKeyMaterial& operator=(JwtKeyMaterial&&) = delete;
  ~JwtKeyMaterial();

  JwtAlgorithm algorithm() const noexcept { return facts_->algorithm; }
  const JwtAlgorithmFacts& facts() const noexcept { return *facts_; }
  const std::string& id() const noexcept { return id_; }
  bool can_sign() const noexcept { return is_private_; }

  bool verify(std::string_view text, std::string_view signature) const;
  // Takes some 20 ms for ES256, so that verify() takes half of the time.
  void expect_many();
  // Throws std::runtime_error if OpenSSL fails.
  std::string sign(std::string_view text) const;

private:
  JwtKeyMaterial(const JwtAlgorithmFacts& facts, std::string secret, std::string id);
  std::string hmac(std::string_view text) const;
  bool begin(EVP_MD_CTX* context, bool signs) const;
  void prepare();
  void check() const;

  const JwtAlgorithmFacts* facts_;
  OpenSslKey key_;           // null: HMAC
  OpenSslDigest verifying_;  // begun, to be copied: that finds the algorithms once. Null: HMAC
  std::optional<P256Verifier> p256_;
  std::string secret_;  // of HMAC
  std::string id_;
  bool is_private_ = false;
};

// "JwtKey 'id'" for messages.
std::string jwt_key_title(std::string_view id);

}  // namespace tern::web
