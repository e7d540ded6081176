// The check of a token, without clock and I/O: JWS in compact form (RFC 7515, section 7.1) with the claims of RFC 7519.
//
//   token = BASE64URL(header) "." BASE64URL(claims) "." BASE64URL(signature)
#pragma once

#include "web/verified_tokens.hpp"

#include <tern/web/jwt.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace tern::web {

constexpr std::size_t max_jwt_size = 16 * 1024;

class JwtChecker {
public:
  // Throws SetupError; see JwtVerifier.
  JwtChecker(JwtKeys keys, JwtRules rules);

  // The claims as JSON. `now`: seconds since 1970.
  std::expected<std::string, JwtError> check(std::string_view token, std::int64_t now) const;

private:
  std::expected<const JwtKeyMaterial*, JwtError> key_for(std::string_view header_json) const;
  std::expected<void, JwtError> check_claims(std::string_view json, std::int64_t now) const;

  bool has_signature(const JwtKeyMaterial& key, std::string_view token, std::string_view signed_part,
                     std::string_view signature) const;

  JwtKeys keys_;
  JwtRules rules_;
  mutable VerifiedTokens verified_;
};

// BASE64URL(header) "." BASE64URL(claims) "." BASE64URL(signature) of these claims.
std::string signed_token(const JwtKeyMaterial& key, std::string_view type, std::string_view claims_json);

}  // namespace tern::web
