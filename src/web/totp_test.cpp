#include <tern/web/totp.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern {
namespace {

// "12345678901234567890" of RFC 6238, appendix B.
constexpr std::string_view rfc_secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

TEST(Totp, has_the_codes_of_the_rfc) {
  // The last six of its eight digits.
  for (const auto& [time, code] : {std::pair(59LL, "287082"), std::pair(1'111'111'109LL, "081804"),
                                   std::pair(1'111'111'111LL, "050471"), std::pair(1'234'567'890LL, "005924"),
                                   std::pair(2'000'000'000LL, "279037"), std::pair(20'000'000'000LL, "353130")}) {
    EXPECT_EQ(verify_totp(rfc_secret, code, -1, time), time / 30) << time;
  }
}

TEST(Totp, accepts_the_step_before_and_after_and_no_other) {
  const std::string_view code = "050471";  // of step 37037037: 1111111110 to 1111111139
  EXPECT_EQ(verify_totp(rfc_secret, code, -1, 1'111'111'080), 37'037'037);
  EXPECT_EQ(verify_totp(rfc_secret, code, -1, 1'111'111'169), 37'037'037);
  EXPECT_FALSE(verify_totp(rfc_secret, code, -1, 1'111'111'079));
  EXPECT_FALSE(verify_totp(rfc_secret, code, -1, 1'111'111'170));
}

TEST(Totp, accepts_a_code_once) {
  const auto step = verify_totp(rfc_secret, "050471", 37'037'036, 1'111'111'111);
  ASSERT_TRUE(step);
  EXPECT_FALSE(verify_totp(rfc_secret, "050471", *step, 1'111'111'112));
}

TEST(Totp, refuses_other_texts) {
  for (const std::string_view code : {"", "05047", "0504711", "50471", "05047l", " 50471", "050471\n", "+50471"}) {
    EXPECT_FALSE(verify_totp(rfc_secret, code, -1, 1'111'111'111)) << code;
  }
  EXPECT_FALSE(verify_totp("", "050471", -1, 1'111'111'111));
  EXPECT_FALSE(verify_totp("not base32!", "050471", -1, 1'111'111'111));
  EXPECT_TRUE(verify_totp("gezd gnbv gy3t qojq gezd gnbv gy3t qojq", "050471", -1, 1'111'111'111));
}

TEST(Totp, has_random_secrets_and_uris_for_apps) {
  const std::string secret = generate_totp_secret();
  EXPECT_EQ(secret.size(), 32U);
  EXPECT_NE(secret, generate_totp_secret());
  EXPECT_EQ(totp_uri("ABC", "The Shop", "anna&co"), "otpauth://totp/The%20Shop:anna%26co?secret=ABC&issuer=The%20Shop");
}

}  // namespace
}  // namespace tern
