#include "web/jwt_key.hpp"

#include "web/digest.hpp"

#include <tern/app/app.hpp>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tern::web {
namespace {

constexpr int min_rsa_bits = 2048;

constexpr std::array<JwtAlgorithmFacts, 13> algorithm_facts = {{
    {JwtAlgorithm::HS256, "HS256", JwtFamily::Hmac, &EVP_sha256, 32, {}},
    {JwtAlgorithm::HS384, "HS384", JwtFamily::Hmac, &EVP_sha384, 48, {}},
    {JwtAlgorithm::HS512, "HS512", JwtFamily::Hmac, &EVP_sha512, 64, {}},
    {JwtAlgorithm::RS256, "RS256", JwtFamily::Rsa, &EVP_sha256, 32, {}},
    {JwtAlgorithm::RS384, "RS384", JwtFamily::Rsa, &EVP_sha384, 48, {}},
    {JwtAlgorithm::RS512, "RS512", JwtFamily::Rsa, &EVP_sha512, 64, {}},
    {JwtAlgorithm::PS256, "PS256", JwtFamily::RsaPss, &EVP_sha256, 32, {}},
    {JwtAlgorithm::PS384, "PS384", JwtFamily::RsaPss, &EVP_sha384, 48, {}},
    {JwtAlgorithm::PS512, "PS512", JwtFamily::RsaPss, &EVP_sha512, 64, {}},
    {JwtAlgorithm::ES256, "ES256", JwtFamily::Ecdsa, &EVP_sha256, 32, "prime256v1", "P-256"},
    {JwtAlgorithm::ES384, "ES384", JwtFamily::Ecdsa, &EVP_sha384, 48, "secp384r1", "P-384"},
    {JwtAlgorithm::ES512, "ES512", JwtFamily::Ecdsa, &EVP_sha512, 66, "secp521r1", "P-521"},
    {JwtAlgorithm::EdDSA, "EdDSA", JwtFamily::Eddsa, nullptr, 0, {}},
}};

void require_signed(bool succeeded) {
  if (succeeded) return;
  ERR_clear_error();
  throw std::runtime_error("OpenSSL cannot sign a token");
}

// With 1, each signature would be right; a large one makes each verification slow.
bool has_usual_exponent(const EVP_PKEY& key) {
  BIGNUM* read = nullptr;
  if (EVP_PKEY_get_bn_param(&key, OSSL_PKEY_PARAM_RSA_E, &read) != 1) return false;
  const OpenSslNumber exponent(read);
  return BN_is_odd(read) == 1 && BN_is_one(read) == 0 && BN_num_bits(read) <= 64;
}

// From R and S at their full length (RFC 7518, section 3.4) to the DER that OpenSSL takes; empty for another length.
std::string to_der(std::string_view signature, std::size_t size) {
  if (signature.size() != 2 * size) return {};
  const OpenSslEcdsa parts(ECDSA_SIG_new());
  OpenSslNumber r(BN_bin2bn(bytes_of(signature), static_cast<int>(size), nullptr));
  OpenSslNumber s(BN_bin2bn(bytes_of(signature.substr(size)), static_cast<int>(size), nullptr));
  if (!parts || !r || !s || ECDSA_SIG_set0(parts.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  unsigned char* der = nullptr;
  const int length = i2d_ECDSA_SIG(parts.get(), &der);
  if (length <= 0) return {};
  std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(length));
  OPENSSL_free(der);
  return text;
}

std::string from_der(std::string_view der, std::size_t size) {
  const unsigned char* at = bytes_of(der);
  const OpenSslEcdsa parts(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  std::string signature(2 * size, '\0');
  const int length = static_cast<int>(size);
  require_signed(parts && BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), bytes_of(signature), length) == length &&
                 BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), bytes_of(signature) + size, length) == length);
  return signature;
}

}  // namespace

const JwtAlgorithmFacts& facts_of(JwtAlgorithm algorithm) noexcept {
  return algorithm_facts[static_cast<std::size_t>(algorithm)];
}

const JwtAlgorithmFacts* find_algorithm(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(algorithm_facts, name, &JwtAlgorithmFacts::name);
  return found == algorithm_facts.end() ? nullptr : found;
}

std::string jwt_key_title(std::string_view id) {
  return id.empty() ? "JwtKey: the key" : "JwtKey: the key '" + std::string(id) + "'";
}

JwtKeyMaterial JwtKeyMaterial::secret(JwtAlgorithm algorithm, std::string_view secret, std::string id) {
  return {facts_of(algorithm), std::string(secret), std::move(id)};
}

JwtKeyMaterial::JwtKeyMaterial(const JwtAlgorithmFacts& facts, std::string secret, std::string id)
    : facts_(&facts), secret_(std::move(secret)), id_(std::move(id)), is_private_(true) {
  check();
}

JwtKeyMaterial::JwtKeyMaterial(JwtAlgorithm algorithm, OpenSslKey key, bool is_private, std::string id)
    : facts_(&facts_of(algorithm)), key_(std::move(key)), id_(std::move(id)), is_private_(is_private) {
  check();
  prepare();
}

JwtKeyMaterial::JwtKeyMaterial(const JwtKeyMaterial& other)
    : facts_(other.facts_), p256_(other.p256_), secret_(other.secret_), id_(other.id_), is_private_(other.is_private_) {
  if (!other.key_) return;
  EVP_PKEY_up_ref(other.key_.get());
  key_.reset(other.key_.get());
  prepare();
}

void JwtKeyMaterial::prepare() {
  verifying_.reset(EVP_MD_CTX_new());
  if (begin(verifying_.get(), false)) return;
  ERR_clear_error();
  throw SetupError(jwt_key_title(id_) + " cannot verify");
}

void JwtKeyMaterial::expect_many() {
  if (facts_->algorithm == JwtAlgorithm::ES256) p256_ = P256Verifier::make(*key_);
}

JwtKeyMaterial::~JwtKeyMaterial() {
  OPENSSL_cleanse(secret_.data(), secret_.size());
}

void JwtKeyMaterial::check() const {
  const auto require = [this](bool holds, const std::string& what) {
    if (!holds) throw SetupError(jwt_key_title(id_) + " " + what);
  };
  const std::string name(facts_->name);
  const int type = key_ ? EVP_PKEY_get_base_id(key_.get()) : EVP_PKEY_NONE;
  switch (facts_->family) {
    case JwtFamily::Hmac:
      require(!key_, "is no secret, which " + name + " needs");
      require(secret_.find("-----BEGIN") == secret_.npos,
              "is PEM, and would be a secret that others know: use from_pem with RS256, ES256 or EdDSA");
      require(secret_.size() >= facts_->size, "has " + std::to_string(secret_.size()) + " bytes, and " + name +
                                                  " needs " + std::to_string(facts_->size));
      return;
    case JwtFamily::Rsa:
    case JwtFamily::RsaPss:
      require(type == EVP_PKEY_RSA, "is no RSA key, which " + name + " needs");
      require(EVP_PKEY_get_bits(key_.get()) >= min_rsa_bits,
              "has " + std::to_string(EVP_PKEY_get_bits(key_.get())) + " bits, and RSA needs 2048");
      require(has_usual_exponent(*key_), "has a public exponent that is 1, even, or of more than 64 bits");
      return;
    case JwtFamily::Ecdsa: {
      std::array<char, 64> curve{};
      std::size_t length = 0;
      require(type == EVP_PKEY_EC && EVP_PKEY_get_group_name(key_.get(), curve.data(), curve.size(), &length) == 1 &&
                  std::string_view(curve.data(), length) == facts_->curve,
              "is no key of the curve " + std::string(facts_->jwk_curve) + ", which " + name + " needs");
      return;
    }
    case JwtFamily::Eddsa:
      require(type == EVP_PKEY_ED25519 || type == EVP_PKEY_ED448, "is no key of Ed25519 or Ed448, which EdDSA needs");
      return;
  }
}

std::string JwtKeyMaterial::hmac(std::string_view text) const {
  std::string mac(facts_->size, '\0');
  unsigned int size = 0;
  require_signed(HMAC(facts_->digest(), secret_.data(), static_cast<int>(secret_.size()), bytes_of(text), text.size(),
                      bytes_of(mac), &size) != nullptr);
  return mac;
}

bool JwtKeyMaterial::begin(EVP_MD_CTX* context, bool signs) const {
  EVP_PKEY_CTX* parameters = nullptr;  // belongs to `context`
  const EVP_MD* digest = facts_->digest != nullptr ? facts_->digest() : nullptr;
  const auto init = signs ? &EVP_DigestSignInit : &EVP_DigestVerifyInit;
  if (context == nullptr || init(context, &parameters, digest, nullptr, key_.get()) != 1) return false;
  return facts_->family != JwtFamily::RsaPss ||
         (EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1 &&
          EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1);
}

bool JwtKeyMaterial::verify(std::string_view text, std::string_view signature) const {
  if (facts_->family == JwtFamily::Hmac) return equal_in_constant_time(hmac(text), signature);
  if (p256_) return p256_->verify(text, signature);
  std::string der;
  if (facts_->family == JwtFamily::Ecdsa) {
    der = to_der(signature, facts_->size);
    if (der.empty()) return false;
    signature = der;
  }
  const OpenSslDigest context(EVP_MD_CTX_new());
  const bool valid =
      context && EVP_MD_CTX_copy_ex(context.get(), verifying_.get()) == 1 &&
      EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text), text.size()) == 1;
  if (!valid) ERR_clear_error();
  return valid;
}

std::string JwtKeyMaterial::sign(std::string_view text) const {
  if (facts_->family == JwtFamily::Hmac) return hmac(text);
  const OpenSslDigest context(EVP_MD_CTX_new());
  std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()));
  std::string signature(size, '\0');
  require_signed(begin(context.get(), true) &&
                 EVP_DigestSign(context.get(), bytes_of(signature), &size, bytes_of(text), text.size()) == 1);
  signature.erase(size);
  return facts_->family == JwtFamily::Ecdsa ? from_der(signature, facts_->size) : signature;
}

}  // namespace tern::web
