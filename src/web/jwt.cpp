#include <tern/web/jwt.hpp>

#include "web/clock.hpp"
#include "web/jwt_key.hpp"
#include "web/jwt_token.hpp"

#include <tern/app/app.hpp>

#include <openssl/err.h>
#include <openssl/pem.h>

#include <fstream>
#include <iterator>

namespace tern {
namespace {

// Otherwise OpenSSL asks on the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

struct PemKey {
  web::OpenSslKey key;
  bool is_private = false;
};

PemKey read_pem(std::string_view pem) {
  const auto read = [pem](auto function) {
    const web::OpenSslBio source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    auto* const object = source ? function(source.get(), nullptr, &no_passphrase, nullptr) : nullptr;
    ERR_clear_error();
    return object;
  };
  if (web::OpenSslKey key{read(&PEM_read_bio_PrivateKey)}) return {std::move(key), true};
  if (web::OpenSslKey key{read(&PEM_read_bio_PUBKEY)}) return {std::move(key), false};
  const web::OpenSslCertificate certificate(read(&PEM_read_bio_X509));
  return {web::OpenSslKey(certificate ? X509_get_pubkey(certificate.get()) : nullptr), false};
}

}  // namespace

JwtKey::JwtKey(base::Box<web::JwtKeyMaterial> material) noexcept : material_(std::move(material)) {}
JwtKey::JwtKey(const JwtKey& other) : material_(base::make_box<web::JwtKeyMaterial>(*other.material_)) {}
JwtKey& JwtKey::operator=(JwtKey other) noexcept {
  material_ = std::move(other.material_);
  return *this;
}

JwtKey JwtKey::hmac(JwtAlgorithm algorithm, std::string_view secret, std::string id) {
  if (web::facts_of(algorithm).family != web::JwtFamily::Hmac) {
    throw SetupError(web::jwt_key_title(id) + " is a secret, which " + std::string(web::facts_of(algorithm).name) +
                     " does not use: see from_pem");
  }
  return JwtKey(base::make_box<web::JwtKeyMaterial>(web::JwtKeyMaterial::secret(algorithm, secret, std::move(id))));
}

JwtKey JwtKey::from_pem(JwtAlgorithm algorithm, std::string_view pem, std::string id) {
  PemKey read = read_pem(pem);
  if (!read.key) {
    throw SetupError(web::jwt_key_title(id) +
                     " is no PEM of a public key, a certificate or a private key without a "
                     "passphrase");
  }
  return JwtKey(base::make_box<web::JwtKeyMaterial>(algorithm, std::move(read.key), read.is_private, std::move(id)));
}

JwtKey JwtKey::from_pem_file(JwtAlgorithm algorithm, std::string_view path, std::string id) {
  std::ifstream file{std::string(path)};
  if (!file) throw SetupError("JwtKey: the file '" + std::string(path) + "' cannot be read");
  return from_pem(algorithm, std::string(std::istreambuf_iterator<char>(file), {}), std::move(id));
}

JwtAlgorithm JwtKey::algorithm() const noexcept {
  return material_->algorithm();
}
const std::string& JwtKey::id() const noexcept {
  return material_->id();
}
bool JwtKey::can_sign() const noexcept {
  return material_->can_sign();
}

JwtKeys::JwtKeys(JwtKey key) {
  keys_.push_back(std::move(key));
  prepare();
}

JwtKeys::JwtKeys(std::vector<JwtKey> keys) : keys_(std::move(keys)) {
  if (keys_.empty()) throw SetupError("JwtKeys: there is no key");
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (keys_[i].id() == keys_[j].id() && keys_[i].algorithm() == keys_[j].algorithm()) {
        throw SetupError("JwtKeys: two keys for one algorithm have the id '" + keys_[i].id() + "'");
      }
    }
  }
  prepare();
}

void JwtKeys::prepare() {
  for (JwtKey& key : keys_) key.material_->expect_many();
}

std::string_view to_text(JwtError error) noexcept {
  switch (error) {
    case JwtError::Malformed: return "the token is malformed";
    case JwtError::UnknownKey: return "the key of the token is unknown";
    case JwtError::BadSignature: return "the signature of the token is wrong";
    case JwtError::Expired: return "the token has expired";
    case JwtError::NotYetValid: return "the token is not valid yet";
    case JwtError::WrongIssuer: return "the token has another issuer";
    case JwtError::WrongAudience: return "the token is for another audience";
    case JwtError::WrongClaims: return "the token lacks claims";
  }
  return "the token is refused";
}

JwtVerifier::JwtVerifier(JwtKeys keys, JwtRules rules)
    : checker_(base::make_box<web::JwtChecker>(std::move(keys), std::move(rules))) {}
JwtVerifier::JwtVerifier(const JwtVerifier& other) : checker_(base::make_box<web::JwtChecker>(*other.checker_)) {}
JwtVerifier& JwtVerifier::operator=(JwtVerifier other) noexcept {
  checker_ = std::move(other.checker_);
  return *this;
}

std::expected<std::string, JwtError> JwtVerifier::verify_json(std::string_view token,
                                                              std::optional<std::int64_t> now) const {
  return checker_->check(token, now.value_or(web::unix_time()));
}

JwtSigner::JwtSigner(JwtKey key, JwtSignerOptions options) : key_(std::move(key)), options_(std::move(options)) {
  if (!key_.can_sign()) throw SetupError("JwtSigner: the key is a public one: signing needs the private key");
  if (options_.lifetime.count() <= 0) throw SetupError("JwtSigner: the lifetime is not positive");
}

std::string JwtSigner::sign_json(std::string_view object, std::optional<std::int64_t> now) const {
  const std::int64_t time = now.value_or(web::unix_time());
  std::string claims;
  json::Writer writer(claims);
  writer.begin_object();
  if (!options_.issuer.empty()) {
    writer.key("iss");
    writer.text(options_.issuer);
  }
  if (!options_.audience.empty()) {
    writer.key("aud");
    writer.text(options_.audience);
  }
  writer.key("iat");
  writer.integer(time);
  writer.key("exp");
  writer.integer(time + options_.lifetime.count());
  if (object.size() > 2) claims.append(",").append(object.substr(1, object.size() - 2));
  writer.end_object();
  return web::signed_token(key_.material(), options_.type, claims);
}

}  // namespace tern
