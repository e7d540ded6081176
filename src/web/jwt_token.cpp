#include "web/jwt_token.hpp"

#include "web/base64url.hpp"
#include "web/jwt_key.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>
#include <tern/json/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tern::web {

// A member of the header that is refused whatever its value is.
struct JwtForbidden {
  bool is_there = false;
};

struct JwtHeader {
  std::string alg;
  std::optional<std::string> kid;
  std::optional<std::string> typ;
  JwtForbidden crit;  // RFC 7515, section 4.1.11: no extension is understood here
  JwtForbidden b64;   // RFC 7797
  JwtForbidden zip;   // of JWE
};

using JwtAudience = std::variant<std::string, std::vector<std::string>>;

struct JwtRegisteredClaims {
  std::optional<std::string> iss;
  std::optional<JwtAudience> aud;
  std::optional<double> exp;
  std::optional<double> nbf;
};

}  // namespace tern::web

template <>
struct tern::JsonCodec<tern::web::JwtForbidden> {
  static void read(tern::json::Reader&, tern::web::JwtForbidden& member) { member.is_there = true; }
};
template <>
struct tern::JsonDefaults<tern::web::JwtHeader> {
  static constexpr std::string_view may_be_missing[] = {"crit", "b64", "zip"};
};

namespace tern::web {
namespace {

constexpr std::size_t max_kid_size = 256;
constexpr double last_time = 253'402'300'799;  // the year 9999

bool is_time(double value) noexcept {
  return value >= 0 && value <= last_time;
}

// RFC 7515, section 4.1.9: "application/" may be left out, and case does not matter.
bool is_type(std::string_view value, std::string_view expected) noexcept {
  constexpr std::string_view prefix = "application/";
  if (base::equals_ignoring_case(value.substr(0, prefix.size()), prefix)) value.remove_prefix(prefix.size());
  return base::equals_ignoring_case(value, expected);
}

bool is_for(const JwtAudience& claimed, const std::vector<std::string>& accepted) {
  const auto is_accepted = [&accepted](const std::string& each) {
    return !each.empty() && std::ranges::find(accepted, each) != accepted.end();
  };
  if (const auto* const one = std::get_if<std::string>(&claimed)) return is_accepted(*one);
  return std::ranges::any_of(std::get<std::vector<std::string>>(claimed), is_accepted);
}

}  // namespace

JwtChecker::JwtChecker(JwtKeys keys, JwtRules rules) : keys_(std::move(keys)), rules_(std::move(rules)) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw SetupError(std::string("JwtRules: ") + what);
  };
  require(rules_.issuer.empty() == rules_.any_issuer,
          "state the issuer of the tokens, or any_issuer: other issuers may use the same key");
  require(rules_.audience.empty() == rules_.any_audience,
          "state the audience, or any_audience: a token for another service is valid here otherwise");
  require(std::ranges::find(rules_.audience, "") == rules_.audience.end(), "an audience is empty");
  require(rules_.skew.count() >= 0 && rules_.skew.count() <= 3600, "skew is from 0 to an hour");
}

std::expected<const JwtKeyMaterial*, JwtError> JwtChecker::key_for(std::string_view header_json) const {
  const auto header = json::read<JwtHeader>(header_json);
  if (!header || header->crit.is_there || header->b64.is_there || header->zip.is_there) {
    return std::unexpected(JwtError::Malformed);
  }
  if (header->kid && header->kid->size() > max_kid_size) return std::unexpected(JwtError::Malformed);
  if (!rules_.type.empty() && !(header->typ && is_type(*header->typ, rules_.type))) {
    return std::unexpected(JwtError::Malformed);
  }
  const JwtKeyMaterial* found = nullptr;
  for (const JwtKey& key : keys_.all()) {
    const JwtKeyMaterial& material = key.material();
    if (material.facts().name != header->alg) continue;
    if (header->kid && !material.id().empty() && *header->kid != material.id()) continue;
    if (found != nullptr) return std::unexpected(JwtError::UnknownKey);  // no kid, and several keys
    found = &material;
  }
  if (found == nullptr) return std::unexpected(JwtError::UnknownKey);
  return found;
}

std::expected<void, JwtError> JwtChecker::check_claims(std::string_view json, std::int64_t now) const {
  const auto claims = json::read<JwtRegisteredClaims>(json);
  if (!claims) return std::unexpected(JwtError::Malformed);
  const auto skew = static_cast<double>(rules_.skew.count());
  const auto time = static_cast<double>(now);
  if ((claims->exp && !is_time(*claims->exp)) || (claims->nbf && !is_time(*claims->nbf))) {
    return std::unexpected(JwtError::Malformed);
  }
  if (!claims->exp || time >= *claims->exp + skew) return std::unexpected(JwtError::Expired);
  if (claims->nbf && time < *claims->nbf - skew) return std::unexpected(JwtError::NotYetValid);
  if (!rules_.any_issuer && claims->iss != rules_.issuer) return std::unexpected(JwtError::WrongIssuer);
  if (!rules_.any_audience && !(claims->aud && is_for(*claims->aud, rules_.audience))) {
    return std::unexpected(JwtError::WrongAudience);
  }
  return {};
}

// The keys do not change and the token names its own, so that the same bytes have the same signature for ever. Of HMAC,
// the signature costs no more than the hash.
bool JwtChecker::has_signature(const JwtKeyMaterial& key, std::string_view token, std::string_view signed_part,
                               std::string_view signature) const {
  if (!rules_.remembers_signatures || key.facts().family == JwtFamily::Hmac) return key.verify(signed_part, signature);
  const auto digest = VerifiedTokens::digest_of(token);
  if (verified_.has(digest)) return true;
  if (!key.verify(signed_part, signature)) return false;
  verified_.add(digest);
  return true;
}

std::expected<std::string, JwtError> JwtChecker::check(std::string_view token, std::int64_t now) const {
  if (token.size() > max_jwt_size || std::ranges::count(token, '.') != 2) return std::unexpected(JwtError::Malformed);
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first + 1);
  const auto header = from_base64url(token.substr(0, first));
  const auto signature = from_base64url(token.substr(second + 1));
  if (!header || !signature) return std::unexpected(JwtError::Malformed);
  const auto key = key_for(*header);
  if (!key) return std::unexpected(key.error());
  if (!has_signature(**key, token, token.substr(0, second), *signature)) {
    return std::unexpected(JwtError::BadSignature);
  }
  auto claims = from_base64url(token.substr(first + 1, second - first - 1));
  if (!claims) return std::unexpected(JwtError::Malformed);
  const auto checked = check_claims(*claims, now);
  if (!checked) return std::unexpected(checked.error());
  return std::move(*claims);
}

std::string signed_token(const JwtKeyMaterial& key, std::string_view type, std::string_view claims_json) {
  std::string header;
  json::Writer writer(header);
  writer.begin_object();
  writer.key("alg");
  writer.text(key.facts().name);
  if (!type.empty()) {
    writer.key("typ");
    writer.text(type);
  }
  if (!key.id().empty()) {
    writer.key("kid");
    writer.text(key.id());
  }
  writer.end_object();
  std::string token = to_base64url(header) + "." + to_base64url(claims_json);
  const std::string signature = key.sign(token);
  return token + "." + to_base64url(signature);
}

}  // namespace tern::web
