// Faulty files are reported at the start, with their names.
#include "tls/context.hpp"

#include "tls/test_certificates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tern::tls {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ContextTest : public ::testing::Test {
protected:
  // The error of Context::make(); empty if there is none.
  std::string refusal(const Config& config) {
    const auto made = Context::make(config, Context::make_tickets());
    return made ? std::string() : made.error();
  }
  std::string refusal(const std::string& certificate, const std::string& key) {
    return refusal(Config{.certificates = {{certificate, key}}});
  }

  TemporaryDirectory files_;
  Issued issued_ = issue({.hosts = {"localhost"}});
  std::string certificate_ = files_.write("cert.pem", issued_.certificate_pem());
  std::string key_ = files_.write("key.pem", issued_.key_pem());
};

TEST_F(ContextTest, is_made_of_a_certificate_and_its_key) {
  EXPECT_EQ(refusal(certificate_, key_), "");
}

TEST_F(ContextTest, takes_key_and_certificate_from_one_file) {
  const std::string both = files_.write("both.pem", issued_.key_pem() + issued_.certificate_pem());
  EXPECT_EQ(refusal(both, ""), "");
}

TEST_F(ContextTest, takes_a_chain) {
  const Issued root = issue({.common_name = "root", .authority = true});
  const Issued leaf = issue({.common_name = "leaf"}, &root);
  const std::string chain = files_.write("chain.pem", leaf.certificate_pem() + root.certificate_pem());
  EXPECT_EQ(refusal(chain, files_.write("leaf.pem", leaf.key_pem())), "");
}

TEST_F(ContextTest, needs_a_certificate) {
  EXPECT_EQ(refusal(Config{}), "TLS needs a certificate");
}

TEST_F(ContextTest, names_a_file_that_is_missing) {
  const std::string nothing = files_.path("nothing.pem");
  EXPECT_EQ(refusal(nothing, key_), "cannot read " + nothing + ": No such file or directory");
  EXPECT_EQ(refusal(certificate_, nothing), "cannot read " + nothing + ": No such file or directory");
  EXPECT_EQ(refusal(files_.path("."), key_), "cannot read " + files_.path(".") + ": Is a directory");
}

TEST_F(ContextTest, names_a_file_that_is_not_PEM) {
  const std::string text = files_.write("text.pem", "not at all");
  EXPECT_EQ(refusal(text, key_), text + " holds no certificate in PEM form");
  EXPECT_THAT(refusal(certificate_, text), StartsWith(text + " holds no private key in PEM form"));
  EXPECT_EQ(refusal(key_, key_), key_ + " holds no certificate in PEM form");
  EXPECT_THAT(refusal(certificate_, certificate_), StartsWith(certificate_ + " holds no private key in PEM form"));
}

TEST_F(ContextTest, names_a_certificate_that_is_broken_off) {
  const std::string whole = issued_.certificate_pem();
  const std::string half = files_.write("half.pem", whole + whole.substr(0, whole.size() / 2));
  EXPECT_THAT(refusal(half, key_), StartsWith(half + ": certificate 2: "));
}

TEST_F(ContextTest, names_a_key_of_another_certificate) {
  const std::string other = files_.write("other.pem", issue({}).key_pem());
  EXPECT_EQ(refusal(certificate_, other),
            "the key in " + other + " does not belong to the certificate in " + certificate_);
}

TEST_F(ContextTest, reports_an_encrypted_key_without_asking) {
  const std::string secret = files_.write("secret.pem", issued_.key_pem("passphrase"));
  EXPECT_EQ(refusal(certificate_, secret), secret + " is encrypted; remove the passphrase, a server cannot ask for it");
}

TEST_F(ContextTest, names_an_expired_certificate) {
  const Issued old = issue({.from = -7200, .until = -3600});
  const std::string file = files_.write("old.pem", old.certificate_pem() + old.key_pem());
  EXPECT_THAT(refusal(file, ""), StartsWith("the certificate in " + file + " expired on 20"));
}

TEST_F(ContextTest, names_a_certificate_of_the_future) {
  const Issued early = issue({.from = 3600});
  const std::string file = files_.write("early.pem", early.certificate_pem() + early.key_pem());
  EXPECT_THAT(refusal(file, ""), StartsWith("the certificate in " + file + " is valid only from 20"));
}

TEST_F(ContextTest, names_a_file_that_is_too_large) {
  const std::string large = files_.write("large.pem", std::string(1024 * 1024 + 1, 'x'));
  EXPECT_EQ(refusal(large, key_), large + " is larger than 1 MiB");
}

TEST_F(ContextTest, needs_the_issuers_of_client_certificates) {
  Config config{.certificates = {{certificate_, key_}}, .client = ClientCertificates::Optional};
  config.client_ca = files_.path("ca.pem");
  EXPECT_THAT(refusal(config), HasSubstr("ca.pem: No such file"));
  config.client_ca = key_;
  EXPECT_EQ(refusal(config), key_ + " holds no certificate in PEM form");
  config.client_ca = certificate_;
  EXPECT_EQ(refusal(config), "");
}

TEST_F(ContextTest, needs_an_OCSP_response_that_is_one) {
  const auto with = [&](const std::string& ocsp) {
    return refusal(Config{.certificates = {{certificate_, key_, ocsp}}});
  };
  EXPECT_EQ(with(key_), key_ + " is no OCSP response in DER form");
  const OwnedOcsp busy(OCSP_response_create(OCSP_RESPONSE_STATUS_TRYLATER, nullptr));
  unsigned char* bytes = nullptr;
  const int size = i2d_OCSP_RESPONSE(busy.get(), &bytes);
  const std::string later =
      files_.write("later.der", {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
  OPENSSL_free(bytes);
  EXPECT_EQ(with(later), later + " is an OCSP response that reports a failure");
  EXPECT_EQ(with(files_.write("good.der", ocsp_of(issued_, issued_))), "");
}

}  // namespace
}  // namespace tern::tls
