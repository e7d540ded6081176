// JSON Web Tokens: verifying and signing (RFC 7519, with the practices of RFC 8725).
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/json/json.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

namespace web {
class JwtKeyMaterial;
class JwtChecker;
}  // namespace web

// RFC 7518, section 3.1; RFC 8037. There is no `none`.
enum class JwtAlgorithm : std::uint8_t {
  HS256,
  HS384,
  HS512,
  RS256,
  RS384,
  RS512,
  PS256,
  PS384,
  PS512,
  ES256,
  ES384,
  ES512,
  EdDSA,
};

// A key with the one algorithm that it is used for, whatever a token says. The id is the `kid` of tokens; without one,
// the key is for tokens with any `kid`.
class JwtKey {
public:
  // A secret of at least the length of the hash (32, 48 or 64 bytes). Throws SetupError for a shorter one, for PEM, and
  // for another algorithm than HS256, HS384 or HS512.
  static JwtKey hmac(JwtAlgorithm algorithm, std::string_view secret, std::string id = {});
  // A public key, a certificate or a private key without a passphrase. Only a private key signs. Throws SetupError for
  // one that cannot be read, does not fit the algorithm (the curve of ES256 is P-256), and for RSA below 2048 bits.
  static JwtKey from_pem(JwtAlgorithm algorithm, std::string_view pem, std::string id = {});
  static JwtKey from_pem_file(JwtAlgorithm algorithm, std::string_view path, std::string id = {});

  explicit JwtKey(base::Box<web::JwtKeyMaterial> material) noexcept;
  JwtKey(const JwtKey& other);
  JwtKey(JwtKey&& other) noexcept = default;
  JwtKey& operator=(JwtKey other) noexcept;

  JwtAlgorithm algorithm() const noexcept;
  const std::string& id() const noexcept;
  bool can_sign() const noexcept;

  const web::JwtKeyMaterial& material() const noexcept { return *material_; }

private:
  friend class JwtKeys;
  base::Box<web::JwtKeyMaterial> material_;
};

// A set of keys: a token names one by its `kid`, or there is exactly one for its algorithm. For each key of ES256, a
// table of 150 KB is computed, which takes about 20 ms: signatures are then verified in half of the time.
class JwtKeys {
public:
  JwtKeys(JwtKey key);  // NOLINT: one key is a set
  // Throws SetupError without keys, and for two of the same id and algorithm.
  explicit JwtKeys(std::vector<JwtKey> keys);
  // A JWK set (RFC 7517) as JSON. Keys that cannot verify (use, key_ops, unknown types and curves) are skipped. RSA
  // keys without `alg` get `rsa`; secrets (`oct`) need one. Throws SetupError if it cannot be read, or no key is left.
  static JwtKeys from_jwks(std::string_view json, JwtAlgorithm rsa = JwtAlgorithm::RS256);
  static JwtKeys from_jwks_file(std::string_view path, JwtAlgorithm rsa = JwtAlgorithm::RS256);

  const std::vector<JwtKey>& all() const noexcept { return keys_; }

private:
  void prepare();

  std::vector<JwtKey> keys_;
};

// What a token must claim, besides a time: `exp` is required.
struct JwtRules {
  std::string issuer = {};                 // of `iss`; empty only with any_issuer
  std::vector<std::string> audience = {};  // one of them is in `aud`; empty only with any_audience
  std::string type = {};                   // of the header `typ`, such as "at+jwt" (RFC 9068); empty: any
  Seconds skew = Seconds(60);              // by which clocks may differ, for exp and nbf; at most an hour
  bool any_issuer = false;
  bool any_audience = false;
  bool remembers_signatures = true;  // of the last 3,072 tokens, by their hashes; see JwtVerifier
};

// Why a token is refused.
enum class JwtError : std::uint8_t {
  Malformed,      // no JWS in compact form, or with extensions that are refused; claims that are no JSON object
  UnknownKey,     // no key of that id and algorithm, or several without an id
  BadSignature,   //
  Expired,        // or without exp
  NotYetValid,    // nbf
  WrongIssuer,    //
  WrongAudience,  //
  WrongClaims,    // they are not the program's struct
};
// For logs and error_description.
std::string_view to_text(JwtError error) noexcept;

// Verifies tokens. Thread-safe; tens of microseconds for one signature, on the calling thread, and a microsecond or two
// for a token that was verified before. Times, issuer and audience are checked each time; a key that is no longer valid
// needs a new verifier. A copy remembers nothing.
class JwtVerifier {
public:
  // Throws SetupError for rules without issuer or audience.
  JwtVerifier(JwtKeys keys, JwtRules rules);
  JwtVerifier(const JwtVerifier& other);
  JwtVerifier(JwtVerifier&& other) noexcept = default;
  JwtVerifier& operator=(JwtVerifier other) noexcept;

  // The claims as a struct, by reflection; members that it does not have are ignored. `now` is in seconds since 1970;
  // unset: the time of the system.
  template <class Claims>
  std::expected<Claims, JwtError> verify(std::string_view token, std::optional<std::int64_t> now = {}) const {
    const auto text = verify_json(token, now);
    if (!text) return std::unexpected(text.error());
    auto claims = json::read<Claims>(*text);
    if (!claims) return std::unexpected(JwtError::WrongClaims);
    return std::move(*claims);
  }
  // The claims as JSON text.
  std::expected<std::string, JwtError> verify_json(std::string_view token, std::optional<std::int64_t> now = {}) const;

private:
  base::Box<web::JwtChecker> checker_;
};

struct JwtSignerOptions {
  std::string issuer = {};    // empty: no `iss`
  std::string audience = {};  // empty: no `aud`
  Seconds lifetime = Seconds(900);
  std::string type = "JWT";  // of the header; empty: none
};

// Makes tokens. Thread-safe.
class JwtSigner {
public:
  // Throws SetupError for a public key, and a lifetime that is not positive.
  JwtSigner(JwtKey key, JwtSignerOptions options);

  // A token with the members of a struct, and iss, aud, iat and exp, which the struct must not have.
  template <class Claims>
  std::string sign(const Claims& claims, std::optional<std::int64_t> now = {}) const {
    static_assert(json::Aggregate<Claims>, "tern: the claims of a token are a struct");
    static_assert(!has_claim<Claims>("iss") && !has_claim<Claims>("aud") && !has_claim<Claims>("iat") &&
                      !has_claim<Claims>("exp"),
                  "tern: JwtSigner writes the claims iss, aud, iat and exp: leave them out of the struct");
    return sign_json(json::to_string(claims), now);
  }

private:
  template <class Claims>
  static consteval bool has_claim(std::string_view name) {
    for (const std::string_view each : json::member_names<Claims>()) {
      if (each == name) return true;
    }
    return false;
  }
  std::string sign_json(std::string_view object, std::optional<std::int64_t> now) const;

  JwtKey key_;
  JwtSignerOptions options_;
};

}  // namespace tern
