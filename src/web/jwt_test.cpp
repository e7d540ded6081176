// JSON Web Tokens against those of PyJWT and of the RFCs, and against attacks.
#include "base/test_folder.hpp"
#include "web/base64url.hpp"
#include "web/jwt_key.hpp"
#include "web/jwt_token.hpp"
#include "web/jwt_vectors.hpp"

#include <tern/app/app.hpp>
#include <tern/web/jwt.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t jwt_time = 1'900'000'000;

struct Subject {
  std::string sub;
};

const JwtRules jwt_rules = {.issuer = "https://id.example", .audience = {"shop"}};

JwtKey key_of_vector(const vectors::Vector& vector, bool is_private) {
  if (facts_of(vector.algorithm).family == JwtFamily::Hmac) {
    return JwtKey::hmac(vector.algorithm, vectors::secret, std::string(vector.kid));
  }
  return JwtKey::from_pem(vector.algorithm, is_private ? vector.private_key : vector.public_key,
                          std::string(vector.kid));
}

JwtKey secret_key(std::string id = {}) {
  return JwtKey::hmac(JwtAlgorithm::HS256, vectors::secret, std::move(id));
}

// A token with these texts as header and claims, and a valid signature of the key.
std::string token_of(std::string_view header, std::string_view claims, const JwtKey& key = secret_key()) {
  const std::string text = to_base64url(header) + "." + to_base64url(claims);
  return text + "." + to_base64url(key.material().sign(text));
}

std::string with_claims(std::string_view claims) {
  return token_of(R"({"alg":"HS256"})", claims);
}

constexpr std::string_view good_claims = R"({"iss":"https://id.example","aud":"shop","exp":2000000000,"sub":"anna"})";

// The name of the error; "valid" for a valid token.
std::string outcome(const std::string& token, const JwtKeys& keys = secret_key(), const JwtRules& rules = jwt_rules,
                    std::int64_t now = jwt_time) {
  const auto subject = JwtVerifier(keys, rules).verify<Subject>(token, now);
  return subject ? "valid" : std::string(to_text(subject.error()));
}

constexpr const char* malformed_token = "the token is malformed";
constexpr const char* unknown_key = "the key of the token is unknown";
constexpr const char* bad_signature = "the signature of the token is wrong";
constexpr const char* expired_token = "the token has expired";

template <class F>
std::string jwt_setup_error(F make) {
  try {
    make();
  } catch (const SetupError& error) {
    return error.what();
  }
  return {};
}

TEST(Jwt, verifies_tokens_of_another_implementation_by_every_algorithm) {
  for (const vectors::Vector& vector : vectors::all) {
    const JwtVerifier verifier(key_of_vector(vector, false), jwt_rules);
    const auto subject = verifier.verify<Subject>(vector.token, jwt_time);
    ASSERT_TRUE(subject) << vector.kid << ": " << to_text(subject.error());
    EXPECT_EQ(subject->sub, "anna");
  }
}

TEST(Jwt, verifies_them_by_a_set_of_keys) {
  const JwtKeys keys = JwtKeys::from_jwks(vectors::key_set);
  EXPECT_EQ(keys.all().size(), 7U);
  for (const vectors::Vector& vector : vectors::all) {
    const bool has_algorithm = std::ranges::any_of(
        keys.all(), [&](const JwtKey& key) { return key.id() == vector.kid && key.algorithm() == vector.algorithm; });
    EXPECT_EQ(outcome(std::string(vector.token), keys), has_algorithm ? "valid" : unknown_key) << vector.kid;
  }
  const JwtKeys other = JwtKeys::from_jwks(vectors::key_set, JwtAlgorithm::PS384);
  EXPECT_EQ(outcome(std::string(vectors::all[7].token), other), "valid");
}

TEST(Jwt, reads_a_set_of_keys_from_a_file) {
  const base::TestFolder folder;
  const std::string path = (folder.path / "keys.json").string();
  std::ofstream(path) << vectors::key_set;
  EXPECT_EQ(JwtKeys::from_jwks_file(path).all().size(), 7U);
  EXPECT_THAT(jwt_setup_error([] { return JwtKeys::from_jwks_file("/nothing/here"); }), HasSubstr("'/nothing/here'"));
}

TEST(Jwt, signs_as_the_other_implementation_where_signatures_are_deterministic) {
  for (const vectors::Vector& vector : vectors::all) {
    const std::string_view token = vector.token;
    const std::size_t dot = token.rfind('.');
    const JwtKey key = key_of_vector(vector, true);
    const std::string signature = key.material().sign(token.substr(0, dot));
    if (vector.is_deterministic) {
      EXPECT_EQ(to_base64url(signature), token.substr(dot + 1)) << vector.kid;
    }
    EXPECT_TRUE(key_of_vector(vector, false).material().verify(token.substr(0, dot), signature)) << vector.kid;
  }
}

TEST(Jwt, verifies_the_examples_of_the_rfcs) {
  const auto verifies = [](std::string_view jwks, std::string_view token) {
    const std::size_t dot = token.rfind('.');
    return JwtKeys::from_jwks(jwks).all().front().material().verify(token.substr(0, dot),
                                                                    *from_base64url(token.substr(dot + 1)));
  };
  // RFC 7515, appendix A.1
  EXPECT_TRUE(verifies(
      R"({"keys":[{"kty":"oct","alg":"HS256","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}]})",
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLm"
      "NvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
  // RFC 7515, appendix A.3
  EXPECT_TRUE(verifies(
      R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})",
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
      "VlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"));
  // RFC 8037, appendix A.4
  EXPECT_TRUE(verifies(
      R"({"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})",
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4k"
      "i4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"));
}

TEST(Jwt, is_signed_and_verified) {
  for (const vectors::Vector& vector : vectors::all) {
    const JwtSigner signer(key_of_vector(vector, true), {.issuer = "https://id.example", .audience = "shop"});
    const std::string token = signer.sign(Subject{"berta"}, jwt_time);
    EXPECT_EQ(outcome(token, key_of_vector(vector, false)), "valid") << vector.kid;
    EXPECT_EQ(outcome(token, key_of_vector(vector, false), jwt_rules, jwt_time + 900 + 60), expired_token);
  }
}

TEST(Jwt, has_the_algorithm_of_its_key_and_no_other) {
  // Every algorithm's token against every other algorithm's key of the same id.
  for (const vectors::Vector& of_key : vectors::all) {
    for (const vectors::Vector& of_token : vectors::all) {
      if (of_key.algorithm == of_token.algorithm) continue;
      EXPECT_EQ(outcome(std::string(of_token.token), key_of_vector(of_key, false)), unknown_key)
          << of_token.kid << " by " << of_key.kid;
    }
  }
}

TEST(Jwt, without_a_signature_is_refused) {
  for (const std::string_view alg : {"none", "None", "NONE", "nOnE", "", "hs256", "HS256 "}) {
    const std::string header = R"({"alg":")" + std::string(alg) + R"("})";
    EXPECT_EQ(outcome(token_of(header, good_claims)), unknown_key) << alg;
    const std::string unsigned_text = to_base64url(header) + "." + to_base64url(good_claims) + ".";
    EXPECT_EQ(outcome(unsigned_text), unknown_key) << alg;
  }
  const std::string token = with_claims(good_claims);
  EXPECT_EQ(outcome(token), "valid");
  EXPECT_EQ(outcome(token.substr(0, token.rfind('.') + 1)), bad_signature);
  EXPECT_EQ(outcome(token.substr(0, token.rfind('.'))), malformed_token);
  EXPECT_EQ(outcome(token_of("{}", good_claims)), malformed_token);
  EXPECT_EQ(outcome(token_of(R"({"alg":null})", good_claims)), malformed_token);
}

TEST(Jwt, signed_with_the_public_key_as_a_secret_is_refused) {
  const std::string pem(vectors::rsa_public);
  for (const std::string& secret : {pem, pem + "\n"}) {
    // A key of ours refuses PEM, so the attacker's secret is made of bytes.
    const std::string text = to_base64url(R"({"alg":"HS256","kid":"rsa"})") + "." + to_base64url(good_claims);
    unsigned char mac[32];
    unsigned int size = 0;
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes_of(std::string_view(text)), text.size(),
         mac, &size);
    const std::string token = text + "." + to_base64url({reinterpret_cast<const char*>(mac), size});
    EXPECT_EQ(outcome(token, JwtKey::from_pem(JwtAlgorithm::RS256, pem, "rsa")), unknown_key);
    EXPECT_EQ(outcome(token, JwtKeys::from_jwks(vectors::key_set)), unknown_key);
  }
  EXPECT_THAT(jwt_setup_error([&] { return JwtKey::hmac(JwtAlgorithm::HS256, pem); }), HasSubstr("is PEM"));
}

TEST(Jwt, names_a_key_only_by_its_exact_id) {
  const JwtKeys keys({secret_key("a"), JwtKey::hmac(JwtAlgorithm::HS256, std::string(32, 'x'), "b")});
  const auto with_kid = [](std::string_view kid_json) {
    return token_of(R"({"alg":"HS256","kid":)" + std::string(kid_json) + "}", good_claims);
  };
  EXPECT_EQ(outcome(with_kid(R"("a")"), keys), "valid");
  EXPECT_EQ(outcome(with_kid(R"("b")"), keys), bad_signature);
  for (const char* kid : {R"("")", R"("A")", R"("../../../../dev/null")", R"("a' UNION SELECT 'x")", R"("a\u0000")",
                          R"("/proc/sys/kernel/randomize_va_space")", R"("a\n")"}) {
    EXPECT_EQ(outcome(with_kid(kid), keys), unknown_key) << kid;
  }
  for (const char* kid : {R"(["a"])", "1", R"({"a":1})"}) EXPECT_EQ(outcome(with_kid(kid), keys), malformed_token);
  EXPECT_EQ(outcome(with_kid('"' + std::string(257, 'a') + '"'), keys), malformed_token);
  EXPECT_EQ(outcome(token_of(R"({"alg":"HS256"})", good_claims), keys), unknown_key);  // which of the two?
  EXPECT_EQ(outcome(with_kid(R"("anything")"), secret_key()), "valid");                // the one key has no id
}

TEST(Jwt, that_brings_its_own_key_is_refused) {
  const JwtKey attacker = JwtKey::hmac(JwtAlgorithm::HS256, std::string(32, 'x'));
  for (const char* member : {R"("jku":"https://evil.example/keys")", R"("jwk":{"kty":"oct","k":"eHh4"})",
                             R"("x5u":"https://evil.example/x")", R"("x5c":["MIIB"])"}) {
    EXPECT_EQ(outcome(token_of(R"({"alg":"HS256",)" + std::string(member) + "}", good_claims, attacker)),
              bad_signature);
  }
}

TEST(Jwt, with_critical_extensions_is_refused) {
  for (const char* member : {R"("crit":["exp"])", R"("crit":["b64"],"b64":false)", R"("crit":[])", R"("crit":null)",
                             R"("b64":false)", R"("b64":true)", R"("zip":"DEF")"}) {
    EXPECT_EQ(outcome(token_of(R"({"alg":"HS256",)" + std::string(member) + "}", good_claims)), malformed_token)
        << member;
  }
}

TEST(Jwt, with_duplicated_members_is_refused) {
  EXPECT_EQ(outcome(token_of(R"({"alg":"HS256","alg":"HS256"})", good_claims)), malformed_token);
  EXPECT_EQ(outcome(token_of(R"({"alg":"HS256","x":1,"x":1})", good_claims)), malformed_token);
  for (const char* claims :
       {R"({"iss":"https://id.example","aud":"shop","exp":2000000000,"exp":1,"sub":"a"})",
        R"({"iss":"https://id.example","aud":"shop","exp":2000000000,"sub":"a","sub":"b"})",
        R"({"iss":"https://id.example","aud":"shop","exp":2000000000,"sub":"a","s\u0075b":"b"})",
        R"({"iss":"https://id.example","aud":"shop","exp":2000000000,"sub":"a","x":{"y":1,"y":2}})"}) {
    EXPECT_EQ(outcome(with_claims(claims)), malformed_token) << claims;
  }
}

TEST(Jwt, expires_at_its_time_and_the_skew) {
  const std::string token = with_claims(good_claims);
  const auto at = [&token](std::int64_t seconds_after) {
    return outcome(token, secret_key(), jwt_rules, 2'000'000'000 + seconds_after);
  };
  EXPECT_EQ(at(0), "valid");
  EXPECT_EQ(at(59), "valid");
  EXPECT_EQ(at(60), expired_token);
  EXPECT_EQ(at(61), expired_token);
  JwtRules exact = jwt_rules;
  exact.skew = Seconds(0);
  EXPECT_EQ(outcome(token, secret_key(), exact, 1'999'999'999), "valid");
  EXPECT_EQ(outcome(token, secret_key(), exact, 2'000'000'000), expired_token);
}

// What is remembered of a token is its signature only.
TEST(Jwt, that_was_verified_before_is_checked_again) {
  const vectors::Vector& es256 = *std::ranges::find(vectors::all, JwtAlgorithm::ES256, &vectors::Vector::algorithm);
  const JwtSigner signer(key_of_vector(es256, true), {.issuer = "https://id.example", .audience = "shop"});
  const JwtVerifier verifier(key_of_vector(es256, false), jwt_rules);
  const std::string token = signer.sign(Subject{"anna"}, 1'000'000);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(verifier.verify_json(token, 1'000'000)) << i;
  EXPECT_EQ(verifier.verify_json(token, 1'000'960).error(), JwtError::Expired);
  EXPECT_TRUE(verifier.verify_json(token, 1'000'959));
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(verifier.verify_json(changed, 1'000'000)) << i;
    EXPECT_FALSE(verifier.verify_json(changed, 1'000'000)) << i;  // nor is a refused one remembered
  }
  const JwtVerifier stricter(key_of_vector(es256, false), {.issuer = "https://id.example", .audience = {"bank"}});
  EXPECT_EQ(stricter.verify_json(token, 1'000'000).error(), JwtError::WrongAudience);
}

TEST(Jwt, is_not_valid_before_its_time) {
  const std::string token =
      with_claims(R"({"iss":"https://id.example","aud":"shop","exp":2000000000,"nbf":1900000000,"sub":"a"})");
  EXPECT_EQ(outcome(token, secret_key(), jwt_rules, 1'900'000'000), "valid");
  EXPECT_EQ(outcome(token, secret_key(), jwt_rules, 1'899'999'940), "valid");
  EXPECT_EQ(outcome(token, secret_key(), jwt_rules, 1'899'999'939), "the token is not valid yet");
}

TEST(Jwt, with_an_impossible_time_is_refused) {
  const auto with_time = [](std::string_view exp) {
    return outcome(
        with_claims(R"({"iss":"https://id.example","aud":"shop","sub":"a","exp":)" + std::string(exp) + "}"));
  };
  for (const char* exp : {"1e400", "1e308", "1e999999999", "-1", "-1e400", "99999999999999999999", "253402300800",
                          R"("2000000000")", "true", "[2000000000]", "2e9999999999999999999"}) {
    EXPECT_EQ(with_time(exp), malformed_token) << exp;
  }
  EXPECT_EQ(with_time("null"), expired_token);
  EXPECT_EQ(with_time("0"), expired_token);
  EXPECT_EQ(with_time("2e9"), "valid");
  EXPECT_EQ(with_time("2000000000.5"), "valid");
  EXPECT_EQ(outcome(with_claims(R"({"iss":"https://id.example","aud":"shop","sub":"a"})")), expired_token);
}

TEST(Jwt, is_for_this_audience_of_this_issuer) {
  const auto with = [](std::string_view aud, std::string_view iss = R"("https://id.example")") {
    return outcome(with_claims(R"({"exp":2000000000,"sub":"a","aud":)" + std::string(aud) + R"(,"iss":)" +
                               std::string(iss) + "}"));
  };
  EXPECT_EQ(with(R"("shop")"), "valid");
  EXPECT_EQ(with(R"(["other","shop"])"), "valid");
  for (const char* aud : {R"("")", "[]", R"([""])", "null", R"("shop ")", R"("SHOP")", R"("shopping")", R"(["sho"])"}) {
    EXPECT_EQ(with(aud), "the token is for another audience") << aud;
  }
  for (const char* aud : {"1", "{}", R"([["shop"]])", R"(["shop",1])"}) EXPECT_EQ(with(aud), malformed_token) << aud;
  for (const char* iss : {R"("")", "null", R"("https://id.example/")", R"("https://id.example.evil")"}) {
    EXPECT_EQ(with(R"("shop")", iss), "the token has another issuer") << iss;
  }
  EXPECT_EQ(outcome(with_claims(R"({"exp":2000000000,"sub":"a"})")), "the token has another issuer");
}

TEST(Jwt, in_another_form_is_refused) {
  const std::string token = with_claims(good_claims);
  const std::size_t first = token.find('.');
  const std::size_t second = token.rfind('.');
  for (const std::string& form :
       {std::string(), std::string("."), std::string(".."), std::string("a.b.c"), token + ".", token + "=", "=" + token,
        token.substr(0, first) + "=" + token.substr(first), token + "." + token, " " + token, token + "\n",
        token.substr(0, first) + "!" + token.substr(first), std::string(1, '\0') + token}) {
    EXPECT_EQ(outcome(form), malformed_token) << form;
  }
  // Padding in the claims, with a signature over it.
  const std::string padded = token.substr(0, second) + "=";
  EXPECT_EQ(outcome(padded + "." + to_base64url(secret_key().material().sign(padded))), malformed_token);
  // Bits behind the last byte that are not zero: another text for the same signature.
  std::string other = token;
  other.back() = static_cast<char>(other.back() + 1);
  EXPECT_NE(outcome(other), "valid");
  for (const char* claims : {"", "1", "[]", R"("text")", "{", R"({"exp":2000000000}x)", "\xFF"}) {
    EXPECT_EQ(outcome(with_claims(claims)), malformed_token) << claims;
  }
}

TEST(Jwt, that_is_changed_anywhere_is_refused) {
  const std::string token = with_claims(good_claims);
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(outcome(changed), "valid") << i;
    EXPECT_NE(outcome(token.substr(0, i)), "valid") << i;
  }
}

TEST(Jwt, that_is_oversized_is_refused_before_any_work) {
  const std::string large =
      R"({"iss":"https://id.example","aud":"shop","exp":2000000000,"sub":")" + std::string(max_jwt_size, 'a') + R"("})";
  EXPECT_EQ(outcome(with_claims(large)), malformed_token);
  EXPECT_EQ(outcome(std::string(1024 * 1024, '.')), malformed_token);
  EXPECT_EQ(outcome(token_of(R"({"alg":"HS256"})", std::string(4000, '[') + std::string(4000, ']'))), malformed_token);
}

TEST(Jwt, has_signatures_of_the_exact_length) {
  const JwtKey key = JwtKey::from_pem(JwtAlgorithm::ES256, vectors::p256_public);
  const std::string_view token = vectors::all[9].token;
  const std::string text(token.substr(0, token.rfind('.')));
  const std::string signature = *from_base64url(token.substr(token.rfind('.') + 1));
  EXPECT_TRUE(key.material().verify(text, signature));
  EXPECT_FALSE(key.material().verify(text, signature + '\0'));
  EXPECT_FALSE(key.material().verify(text, '\0' + signature));
  EXPECT_FALSE(key.material().verify(text, std::string(64, '\0')));  // CVE-2022-21449
  EXPECT_FALSE(key.material().verify(text, {}));
}

TEST(Jwt, may_need_a_type) {
  JwtRules rules = jwt_rules;
  rules.type = "at+jwt";
  EXPECT_EQ(outcome(token_of(R"({"alg":"HS256","typ":"at+JWT"})", good_claims), secret_key(), rules), "valid");
  EXPECT_EQ(outcome(token_of(R"({"alg":"HS256","typ":"application/at+jwt"})", good_claims), secret_key(), rules),
            "valid");
  EXPECT_EQ(outcome(token_of(R"({"alg":"HS256","typ":"JWT"})", good_claims), secret_key(), rules), malformed_token);
  EXPECT_EQ(outcome(with_claims(good_claims), secret_key(), rules), malformed_token);
}

TEST(Jwt, lacks_claims_of_the_program) {
  EXPECT_EQ(outcome(with_claims(R"({"iss":"https://id.example","aud":"shop","exp":2000000000})")),
            "the token lacks claims");
}

TEST(JwtKey, that_does_not_fit_its_algorithm_is_a_setup_error) {
  const auto pem = [](JwtAlgorithm algorithm, std::string_view text) {
    return jwt_setup_error([&] { return JwtKey::from_pem(algorithm, text, "mine"); });
  };
  EXPECT_THAT(pem(JwtAlgorithm::ES256, vectors::p384_public), HasSubstr("'mine' is no key of the curve P-256"));
  EXPECT_THAT(pem(JwtAlgorithm::ES384, vectors::rsa_public), HasSubstr("P-384"));
  EXPECT_THAT(pem(JwtAlgorithm::RS256, vectors::p256_public), HasSubstr("is no RSA key"));
  EXPECT_THAT(pem(JwtAlgorithm::EdDSA, vectors::p256_public), HasSubstr("Ed25519"));
  EXPECT_THAT(pem(JwtAlgorithm::HS256, vectors::rsa_public), HasSubstr("is no secret"));
  EXPECT_THAT(pem(JwtAlgorithm::RS256, "nothing"), HasSubstr("is no PEM"));
  EXPECT_THAT(jwt_setup_error([] { return JwtKey::hmac(JwtAlgorithm::HS512, std::string(63, 'a')); }),
              HasSubstr("has 63 bytes, and HS512 needs 64"));
  EXPECT_THAT(jwt_setup_error([] { return JwtKey::hmac(JwtAlgorithm::RS256, std::string(64, 'a')); }),
              HasSubstr("from_pem"));
  EXPECT_THAT(
      jwt_setup_error([] { return JwtSigner(JwtKey::from_pem(JwtAlgorithm::ES256, vectors::p256_public), {}); }),
      HasSubstr("private key"));
}

TEST(JwtKeys, of_a_bad_set_are_a_setup_error) {
  const auto set = [](const std::string& key) {
    return jwt_setup_error([&] { return JwtKeys::from_jwks(R"({"keys":[)" + key + "]}"); });
  };
  EXPECT_THAT(set(""), HasSubstr("no key that can verify"));
  EXPECT_THAT(set(R"({"kty":"oct","k":"AAAA"})"), HasSubstr("no key that can verify"));
  EXPECT_THAT(set(R"({"kty":"RSA","n":"AQAB","e":"AQAB"})"), HasSubstr("RSA needs 2048"));
  EXPECT_THAT(set(R"({"kty":"RSA","kid":"a","n":"A=","e":"AQAB"})"),
              HasSubstr("'a' of a JWK set has no valid member 'n'"));
  EXPECT_THAT(set(R"({"kty":"EC","crv":"P-256","x":"AQAB","y":"AQAB"})"), HasSubstr("no valid key for ES256"));
  // Not on the curve.
  const std::string one = to_base64url(std::string(31, '\0') + '\1');
  EXPECT_THAT(set(R"({"kty":"EC","crv":"P-256","x":")" + one + R"(","y":")" + one + R"("})"),
              HasSubstr("no valid key for ES256"));
  // Exponents with which each signature would be right, or that make each verification slow.
  const std::string modulus = to_base64url("\xC1" + std::string(254, 'a') + "\x01");
  const auto with_exponent = [&](const std::string& e) {
    return set(R"({"kty":"RSA","n":")" + modulus + R"(","e":")" + to_base64url(e) + R"("})");
  };
  EXPECT_EQ(with_exponent("\3"), "");
  for (const std::string& e : {std::string("\1"), std::string("\4"), std::string(9, '\1'), std::string(200, '\x7F')}) {
    EXPECT_THAT(with_exponent(e), HasSubstr("public exponent")) << e.size();
  }
  EXPECT_THAT(set(R"({"kty":"oct","alg":"HS256","k":"AAAA"})"), HasSubstr("has 3 bytes, and HS256 needs 32"));
  EXPECT_THAT(jwt_setup_error([] { return JwtKeys::from_jwks("[]"); }), HasSubstr("cannot be read"));
  EXPECT_THAT(jwt_setup_error([] { return JwtKeys({secret_key("a"), secret_key("a")}); }), HasSubstr("id 'a'"));
}

TEST(JwtRules, state_issuer_and_audience) {
  const auto fault = [](JwtRules rules) {
    return jwt_setup_error([&] { return JwtVerifier(secret_key(), std::move(rules)); });
  };
  EXPECT_THAT(fault({.audience = {"a"}}), HasSubstr("any_issuer"));
  EXPECT_THAT(fault({.issuer = "a"}), HasSubstr("any_audience"));
  EXPECT_THAT(fault({.issuer = "a", .audience = {""}}), HasSubstr("empty"));
  EXPECT_THAT(fault({.issuer = "a", .audience = {"a"}, .skew = Seconds(3601)}), HasSubstr("skew"));
  EXPECT_EQ(fault({.any_issuer = true, .any_audience = true}), "");
}

}  // namespace
}  // namespace tern::web
