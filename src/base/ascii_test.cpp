#include <tern/base/ascii.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tern::base {
namespace {

static_assert(is_token("GET") && !is_token("") && hex_value('f') == 15 && trim(" a\t") == "a");

constexpr std::string_view upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view lower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view digits = "0123456789";

bool among(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

template <class F>
void for_every_byte(F f) {
  for (int byte = 0; byte < 256; ++byte) f(static_cast<char>(byte));
}

TEST(Ascii, lowers_the_letters_of_ascii_and_nothing_else) {
  for_every_byte([](char c) {
    const std::size_t place = upper.find(c);
    EXPECT_EQ(to_lower(c), place == std::string_view::npos ? c : lower[place]) << int{c};
  });
}

TEST(Ascii, knows_digits_and_letters_among_all_bytes) {
  for_every_byte([](char c) {
    EXPECT_EQ(is_digit(c), among(digits, c)) << int{c};
    EXPECT_EQ(is_alpha(c), among(upper, c) || among(lower, c)) << int{c};
  });
}

TEST(Ascii, knows_the_value_of_every_hexadecimal_digit) {
  constexpr std::string_view small = "0123456789abcdef";
  constexpr std::string_view large = "0123456789ABCDEF";
  for_every_byte([&](char c) {
    const std::size_t place = among(small, c) ? small.find(c) : large.find(c);
    EXPECT_EQ(hex_value(c), place == std::string_view::npos ? -1 : static_cast<int>(place)) << int{c};
  });
}

TEST(Ascii, takes_the_77_token_characters_of_rfc_9110_and_no_other) {
  int count = 0;
  for_every_byte([&count](char c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool visible = byte > 0x20 && byte < 0x7F;
    EXPECT_EQ(is_token_char(c), visible && !among("\"(),/:;<=>?@[\\]{}", c)) << int{c};  // the delimiters
    count += is_token_char(c) ? 1 : 0;
  });
  EXPECT_EQ(count, 77);
}

TEST(Ascii, refuses_a_token_that_is_empty_or_has_one_bad_byte_anywhere) {
  EXPECT_FALSE(is_token(""));
  EXPECT_TRUE(is_token("x-Custom_1"));
  EXPECT_FALSE(is_token(" a"));
  EXPECT_FALSE(is_token("a "));
  EXPECT_FALSE(is_token("a:b"));
  EXPECT_FALSE(is_token(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_token("a\x80"));
}

TEST(Ascii, compares_without_regard_to_case_but_to_everything_else) {
  EXPECT_TRUE(equals_ignoring_case("Content-Type", "cONTENT-tYPE"));
  EXPECT_TRUE(equals_ignoring_case("", ""));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("ab", "a"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));  // differ by 0x20 and are no letters
  EXPECT_FALSE(equals_ignoring_case("[", "{"));
  EXPECT_FALSE(equals_ignoring_case("\xC4", "\xE4"));  // Ä and ä in Latin-1
}

TEST(Ascii, trims_blanks_and_tabs_at_the_ends_only) {
  EXPECT_EQ(trim(" \t a b\t "), "a b");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim("\r\na\v"), "\r\na\v");
  EXPECT_EQ(trim("\xA0"), "\xA0");
}

}  // namespace
}  // namespace tern::base
