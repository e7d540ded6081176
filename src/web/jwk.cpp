// JWK sets (RFC 7517, RFC 7518, section 6, RFC 8037, section 2) to keys that verify.
#include "web/base64url.hpp"
#include "web/jwt_key.hpp"

#include <tern/app/app.hpp>
#include <tern/json/json.hpp>

#include <openssl/core_names.h>
#include <openssl/err.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace tern::web {

struct Jwk {
  std::string kty;
  std::optional<std::string> alg;
  std::optional<std::string> kid;
  std::optional<std::string> use;
  std::optional<std::vector<std::string>> key_ops;
  std::optional<std::string> crv;
  std::optional<std::string> n;
  std::optional<std::string> e;
  std::optional<std::string> x;
  std::optional<std::string> y;
  std::optional<std::string> k;
};

struct JwkSet {
  std::vector<Jwk> keys;
};

namespace {

bool verifies(const Jwk& jwk) {
  if (jwk.use && *jwk.use != "sig") return false;
  return !jwk.key_ops || std::ranges::find(*jwk.key_ops, "verify") != jwk.key_ops->end();
}

std::string member_bytes(const Jwk& jwk, const std::optional<std::string>& member, const char* name) {
  auto bytes = member ? from_base64url(*member) : std::nullopt;
  if (!bytes || bytes->empty()) {
    throw SetupError(jwt_key_title(jwk.kid.value_or("")) + " of a JWK set has no valid member '" + name + "'");
  }
  return std::move(*bytes);
}

OpenSslKey key_from(const char* type, OSSL_PARAM_BLD* builder) {
  const OpenSslParams parameters(OSSL_PARAM_BLD_to_param(builder));
  const OpenSslKeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (parameters && context && EVP_PKEY_fromdata_init(context.get()) == 1) {
    EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get());
  }
  ERR_clear_error();
  return OpenSslKey(key);
}

OpenSslKey rsa_key(const Jwk& jwk) {
  const std::string modulus = member_bytes(jwk, jwk.n, "n");
  const std::string exponent = member_bytes(jwk, jwk.e, "e");
  const OpenSslNumber n(BN_bin2bn(bytes_of(std::string_view(modulus)), static_cast<int>(modulus.size()), nullptr));
  const OpenSslNumber e(BN_bin2bn(bytes_of(std::string_view(exponent)), static_cast<int>(exponent.size()), nullptr));
  const OpenSslParamBuilder builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return {};
  }
  return key_from("RSA", builder.get());
}

OpenSslKey curve_key(const Jwk& jwk, const JwtAlgorithmFacts& facts) {
  const std::string x = member_bytes(jwk, jwk.x, "x");
  const std::string y = member_bytes(jwk, jwk.y, "y");
  if (x.size() != facts.size || y.size() != facts.size) return {};
  const std::string point = '\4' + x + y;  // uncompressed (SEC 1, section 2.3.3)
  const OpenSslParamBuilder builder(OSSL_PARAM_BLD_new());
  if (!builder ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, facts.curve.data(),
                                      facts.curve.size()) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1) {
    return {};
  }
  return key_from("EC", builder.get());
}

OpenSslKey edwards_key(const Jwk& jwk) {
  const std::string x = member_bytes(jwk, jwk.x, "x");
  const int type = *jwk.crv == "Ed448" ? EVP_PKEY_ED448 : EVP_PKEY_ED25519;
  OpenSslKey key(EVP_PKEY_new_raw_public_key(type, nullptr, bytes_of(std::string_view(x)), x.size()));
  ERR_clear_error();
  return key;
}

// The algorithm of a key that this library can use; null for others, which are skipped.
const JwtAlgorithmFacts* algorithm_of(const Jwk& jwk, JwtAlgorithm rsa) {
  const JwtAlgorithmFacts* facts = jwk.alg ? find_algorithm(*jwk.alg) : nullptr;
  if (jwk.alg && facts == nullptr) return nullptr;
  const auto is_one_of = [&facts](JwtFamily a, JwtFamily b) { return facts->family == a || facts->family == b; };
  if (jwk.kty == "RSA") {
    if (facts == nullptr) facts = &facts_of(rsa);
    return is_one_of(JwtFamily::Rsa, JwtFamily::RsaPss) ? facts : nullptr;
  }
  if (jwk.kty == "oct") return facts != nullptr && facts->family == JwtFamily::Hmac ? facts : nullptr;
  if (jwk.kty == "OKP") {
    if (jwk.crv != "Ed25519" && jwk.crv != "Ed448") return nullptr;
    if (facts == nullptr) facts = &facts_of(JwtAlgorithm::EdDSA);
    return facts->family == JwtFamily::Eddsa ? facts : nullptr;
  }
  if (jwk.kty != "EC" || !jwk.crv) return nullptr;
  for (const JwtAlgorithm each : {JwtAlgorithm::ES256, JwtAlgorithm::ES384, JwtAlgorithm::ES512}) {
    if (facts_of(each).jwk_curve == *jwk.crv && (facts == nullptr || facts == &facts_of(each))) return &facts_of(each);
  }
  return nullptr;
}

std::optional<JwtKey> key_of(const Jwk& jwk, JwtAlgorithm rsa) {
  const JwtAlgorithmFacts* facts = verifies(jwk) ? algorithm_of(jwk, rsa) : nullptr;
  if (facts == nullptr) return std::nullopt;
  std::string id = jwk.kid.value_or("");
  if (facts->family == JwtFamily::Hmac) return JwtKey::hmac(facts->algorithm, member_bytes(jwk, jwk.k, "k"), id);
  OpenSslKey key = jwk.kty == "RSA" ? rsa_key(jwk) : jwk.kty == "EC" ? curve_key(jwk, *facts) : edwards_key(jwk);
  if (!key) throw SetupError(jwt_key_title(id) + " of a JWK set is no valid key for " + std::string(facts->name));
  return JwtKey(base::make_box<JwtKeyMaterial>(facts->algorithm, std::move(key), false, std::move(id)));
}

}  // namespace
}  // namespace tern::web

namespace tern {

JwtKeys JwtKeys::from_jwks(std::string_view json, JwtAlgorithm rsa) {
  const auto set = json::read<web::JwkSet>(json);
  if (!set) throw SetupError("JwtKeys: the JWK set cannot be read: " + set.error().to_string());
  std::vector<JwtKey> keys;
  for (const web::Jwk& jwk : set->keys) {
    if (auto key = web::key_of(jwk, rsa)) keys.push_back(std::move(*key));
  }
  if (keys.empty()) throw SetupError("JwtKeys: the JWK set has no key that can verify");
  return JwtKeys(std::move(keys));
}

JwtKeys JwtKeys::from_jwks_file(std::string_view path, JwtAlgorithm rsa) {
  std::ifstream file{std::string(path)};
  if (!file) throw SetupError("JwtKeys: the file '" + std::string(path) + "' cannot be read");
  return from_jwks(std::string(std::istreambuf_iterator<char>(file), {}), rsa);
}

}  // namespace tern
