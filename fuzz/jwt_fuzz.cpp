// Fuzzes the check of JSON Web Tokens and what reads credentials: any bytes as a token, as its header and claims under
// a valid signature, as a set of keys, and as credentials of Basic. Nothing may crash, no token is valid without a
// signature of the key, and one that is valid has the claims that it was signed with.
// script/fuzz runs it.
#include "web/base64url.hpp"
#include "web/credentials.hpp"
#include "web/jwt_key.hpp"
#include "web/jwt_token.hpp"

#include <tern/app/app.hpp>
#include <tern/web/api_key.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

const tern::JwtKey& key() {
  static const tern::JwtKey made = tern::JwtKey::hmac(tern::JwtAlgorithm::HS256, std::string(32, 'k'), "1");
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  static const tern::web::JwtChecker strict(key(), {.issuer = "i", .audience = {"a"}});
  static const tern::web::JwtChecker any(key(), {.any_issuer = true, .any_audience = true});
  constexpr std::int64_t now = 1'900'000'000;
  require(!strict.check(input, now) && !any.check(input, now));

  // Header and claims are separated by the first line break.
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view claims = input.substr(std::min(end + 1, input.size()));
  const std::string text = tern::web::to_base64url(input.substr(0, end)) + "." + tern::web::to_base64url(claims);
  const std::string token = text + "." + tern::web::to_base64url(key().material().sign(text));
  const auto checked = any.check(token, now);
  require(!checked || *checked == claims);
  require(checked || !strict.check(token, now));
  const std::string plain = tern::web::signed_token(key().material(), "JWT", claims);
  static_cast<void>(any.check(plain, now));

  try {
    require(!tern::JwtKeys::from_jwks(input).all().empty());
  } catch (const tern::SetupError&) {
  }
  const auto basic = tern::web::decode_basic(input);
  require(!basic || basic->first.find(':') == std::string::npos);
  static_cast<void>(tern::web::is_bearer_token(input));
  require(tern::ApiKey::prefix_of(input).size() <= input.size());
  return 0;
}
