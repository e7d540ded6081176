// P256Verifier against OpenSSL's own verification.
#include "web/p256_verifier.hpp"

#include <gtest/gtest.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tern::web {
namespace {

constexpr std::string_view order_hex = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551";

std::string as_bytes(const BIGNUM& number) {
  std::string bytes(32, '\0');
  EXPECT_EQ(BN_bn2binpad(&number, bytes_of(bytes), 32), 32);
  return bytes;
}

// The number in hexadecimal digits, plus `more`.
std::string number(std::string_view hex, int more = 0) {
  BIGNUM* read = nullptr;
  EXPECT_NE(BN_hex2bn(&read, std::string(hex).c_str()), 0);
  const OpenSslNumber value(read);
  EXPECT_EQ(more >= 0 ? BN_add_word(value.get(), static_cast<BN_ULONG>(more))
                      : BN_sub_word(value.get(), static_cast<BN_ULONG>(-more)),
            1);
  return as_bytes(*value);
}

OpenSslKey new_key() {
  return OpenSslKey(EVP_EC_gen("P-256"));
}

// The key whose private number this is.
OpenSslKey key_of_number(std::string_view bytes) {
  const OpenSslGroup group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  const OpenSslNumber secret(BN_bin2bn(bytes_of(bytes), 32, nullptr));
  EC_POINT* const point = EC_POINT_new(group.get());
  EXPECT_EQ(EC_POINT_mul(group.get(), point, secret.get(), nullptr, nullptr, nullptr), 1);
  std::string encoded(65, '\0');
  EXPECT_EQ(EC_POINT_point2oct(group.get(), point, POINT_CONVERSION_UNCOMPRESSED, bytes_of(encoded), 65, nullptr), 65U);
  EC_POINT_free(point);
  const OpenSslParamBuilder builder(OSSL_PARAM_BLD_new());
  EXPECT_EQ(OSSL_PARAM_BLD_push_utf8_string(builder.get(), "group", "prime256v1", 0), 1);
  EXPECT_EQ(OSSL_PARAM_BLD_push_octet_string(builder.get(), "pub", encoded.data(), encoded.size()), 1);
  EXPECT_EQ(OSSL_PARAM_BLD_push_BN(builder.get(), "priv", secret.get()), 1);
  const OpenSslParams parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  const OpenSslKeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  EXPECT_EQ(EVP_PKEY_fromdata_init(context.get()), 1);
  EXPECT_EQ(EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_KEYPAIR, parameters.get()), 1);
  return OpenSslKey(key);
}

std::string sign_der(EVP_PKEY& key, std::string_view text) {
  const OpenSslDigest context(EVP_MD_CTX_new());
  EXPECT_EQ(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, &key), 1);
  std::string der(80, '\0');
  std::size_t size = der.size();
  EXPECT_EQ(EVP_DigestSign(context.get(), bytes_of(der), &size, bytes_of(text), text.size()), 1);
  return der.substr(0, size);
}

std::string sign(EVP_PKEY& key, std::string_view text) {
  const std::string der = sign_der(key, text);
  const unsigned char* at = bytes_of(std::string_view(der));
  const OpenSslEcdsa parts(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  return as_bytes(*ECDSA_SIG_get0_r(parts.get())) + as_bytes(*ECDSA_SIG_get0_s(parts.get()));
}

bool openssl_verifies(EVP_PKEY& key, std::string_view text, std::string_view signature) {
  const OpenSslEcdsa parts(ECDSA_SIG_new());
  EXPECT_EQ(ECDSA_SIG_set0(parts.get(), BN_bin2bn(bytes_of(signature), 32, nullptr),
                           BN_bin2bn(bytes_of(signature.substr(32)), 32, nullptr)),
            1);
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(parts.get(), &der);
  const OpenSslDigest context(EVP_MD_CTX_new());
  EXPECT_EQ(EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, &key), 1);
  const bool valid =
      EVP_DigestVerify(context.get(), der, static_cast<std::size_t>(size), bytes_of(text), text.size()) == 1;
  OPENSSL_free(der);
  return valid;
}

TEST(P256Verifier, agrees_with_openssl) {
  for (int round = 0; round < 4; ++round) {
    const OpenSslKey key = new_key();
    const auto verifier = P256Verifier::make(*key);
    ASSERT_TRUE(verifier);
    for (int i = 0; i < 20; ++i) {
      const std::string text(static_cast<std::size_t>(i * 37), static_cast<char>('a' + i));
      const std::string signature = sign(*key, text);
      EXPECT_TRUE(verifier->verify(text, signature)) << i;
      EXPECT_FALSE(verifier->verify(text + ".", signature)) << i;
    }
    EXPECT_FALSE(verifier->verify("text", sign(*new_key(), "text")));
  }
}

TEST(P256Verifier, refuses_every_changed_bit_as_openssl_does) {
  const OpenSslKey key = new_key();
  const auto verifier = P256Verifier::make(*key);
  ASSERT_TRUE(verifier);
  const std::string signature = sign(*key, "text");
  for (std::size_t bit = 0; bit < 512; ++bit) {
    std::string changed = signature;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(verifier->verify("text", changed)) << bit;
    EXPECT_FALSE(openssl_verifies(*key, "text", changed)) << bit;
  }
}

// The negative of s is the other signature of the same text; both are valid.
TEST(P256Verifier, takes_both_values_of_s) {
  const OpenSslKey key = new_key();
  const auto verifier = P256Verifier::make(*key);
  ASSERT_TRUE(verifier);
  const std::string signature = sign(*key, "text");
  BIGNUM* order = nullptr;
  ASSERT_NE(BN_hex2bn(&order, std::string(order_hex).c_str()), 0);
  const OpenSslNumber owner(order);
  const OpenSslNumber s(BN_bin2bn(bytes_of(std::string_view(signature).substr(32)), 32, nullptr));
  ASSERT_EQ(BN_sub(s.get(), order, s.get()), 1);
  const std::string other = signature.substr(0, 32) + as_bytes(*s);
  EXPECT_TRUE(verifier->verify("text", other));
  EXPECT_TRUE(openssl_verifies(*key, "text", other));
}

TEST(P256Verifier, refuses_numbers_out_of_range) {
  const OpenSslKey key = new_key();
  const auto verifier = P256Verifier::make(*key);
  ASSERT_TRUE(verifier);
  const std::string signature = sign(*key, "text");
  const std::string r = signature.substr(0, 32);
  const std::string s = signature.substr(32);
  const std::string zero = number("0");
  const std::string order = number(order_hex);
  const std::string all = std::string(32, '\xFF');
  for (const std::string& wrong : {zero, order, number(order_hex, 1), number(order_hex, -1), number("1"), all}) {
    EXPECT_FALSE(verifier->verify("text", r + wrong));
    EXPECT_FALSE(verifier->verify("text", wrong + s));
    EXPECT_FALSE(verifier->verify("text", wrong + wrong));
    EXPECT_FALSE(openssl_verifies(*key, "text", wrong + wrong));
  }
  for (const std::size_t size : {0U, 1U, 31U, 32U, 63U, 65U, 128U}) {
    EXPECT_FALSE(verifier->verify("text", std::string(size, '\1'))) << size;
  }
}

// Where u·G and v·Q are the same point, or each other's negatives.
TEST(P256Verifier, adds_equal_and_opposite_points) {
  for (const std::string& secret : {number("1"), number("2"), number(order_hex, -1), number(order_hex, -2)}) {
    const OpenSslKey key = key_of_number(secret);
    const auto verifier = P256Verifier::make(*key);
    ASSERT_TRUE(verifier);
    for (int i = 0; i < 20; ++i) {
      const std::string text = "text " + std::to_string(i);
      EXPECT_TRUE(verifier->verify(text, sign(*key, text)));
    }
    // With r = e, u equals v: the sum is twice G for the key 1, and infinity for the key -1.
    const std::string_view text = "text";
    const OpenSslDigest context(EVP_MD_CTX_new());
    std::string digest(32, '\0');
    ASSERT_EQ(EVP_Digest(text.data(), text.size(), bytes_of(digest), nullptr, EVP_sha256(), nullptr), 1);
    for (const std::string& s : {number("1"), number("2"), digest}) {
      EXPECT_EQ(verifier->verify(text, digest + s), openssl_verifies(*key, text, digest + s));
    }
  }
}

TEST(P256Verifier, is_for_its_curve_only) {
  const OpenSslKey other(EVP_EC_gen("P-384"));
  EXPECT_FALSE(P256Verifier::make(*other));
  const OpenSslKey secp(EVP_EC_gen("secp256k1"));
  EXPECT_FALSE(P256Verifier::make(*secp));
  const OpenSslKey edwards(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  EXPECT_FALSE(P256Verifier::make(*edwards));
}

TEST(P256Verifier, is_shared_by_threads_and_copies) {
  const OpenSslKey key = new_key();
  std::optional<P256Verifier> first = P256Verifier::make(*key);
  ASSERT_TRUE(first);
  const P256Verifier copy(*first);
  const std::string signature = sign(*key, "text");
  first.reset();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&copy, &signature] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_TRUE(copy.verify("text", signature));
        EXPECT_FALSE(copy.verify("other", signature));
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

}  // namespace
}  // namespace tern::web
