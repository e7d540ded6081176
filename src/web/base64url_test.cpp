#include "web/base64url.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace tern::web {
namespace {

// RFC 4648, section 10, without the padding.
TEST(Base64Url, is_as_in_the_rfc) {
  EXPECT_EQ(from_base64url(""), "");
  EXPECT_EQ(from_base64url("Zg"), "f");
  EXPECT_EQ(from_base64url("Zm8"), "fo");
  EXPECT_EQ(from_base64url("Zm9v"), "foo");
  EXPECT_EQ(from_base64url("Zm9vYmFy"), "foobar");
  EXPECT_EQ(from_base64url("-_8"), "\xfb\xff");
}

TEST(Base64Url, comes_back) {
  std::string bytes;
  for (int size = 0; size < 300; ++size) {
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes) << size;
    bytes.push_back(static_cast<char>(size * 37));
  }
}

TEST(Base64Url, has_one_form_only) {
  for (const char* text : {"Z", "Zm9vY", "Zh", "Zm9", "Zm+v", "Zm/v", "Zg==", "Zm9v ", " Zm9v", "Zm\n9v", "Z=9v"}) {
    EXPECT_EQ(from_base64url(text), std::nullopt) << text;
  }
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (std::size_t at = 0; at < 8; ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = "AAAAAAAA";
      text[at] = static_cast<char>(byte);
      EXPECT_EQ(from_base64url(text).has_value(), digits.find(static_cast<char>(byte)) != digits.npos)
          << at << ' ' << byte;
    }
  }
}

}  // namespace
}  // namespace tern::web
