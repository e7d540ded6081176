#include <tern/base/number.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tern::base {
namespace {

template <class T>
class ParseInteger : public ::testing::Test {};
using Integers = ::testing::Types<signed char, unsigned char, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                  std::int64_t, std::uint64_t, long long, unsigned long long>;
TYPED_TEST_SUITE(ParseInteger, Integers);

std::string plus_one(std::string digits) {
  std::size_t at = digits.size() - 1;
  while (digits[at] == '9') digits[at--] = '0';
  ++digits[at];
  return digits;
}

TYPED_TEST(ParseInteger, takes_its_limits_and_nothing_beyond_them) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::string most = std::to_string(Limits::max());
  EXPECT_EQ(parse_integer<TypeParam>(most), Limits::max());
  EXPECT_FALSE(parse_integer<TypeParam>(plus_one(most)));
  EXPECT_FALSE(parse_integer<TypeParam>(most + "0"));
  const std::string least = std::to_string(Limits::min());
  EXPECT_EQ(parse_integer<TypeParam>(least), Limits::min());
  if (std::is_signed_v<TypeParam>) {
    EXPECT_FALSE(parse_integer<TypeParam>(plus_one(least)));  // its digits: one less
  }
  EXPECT_FALSE(parse_integer<TypeParam>("99999999999999999999999999999999999999"));
  EXPECT_FALSE(parse_integer<TypeParam>("-99999999999999999999999999999999999999"));
}

TYPED_TEST(ParseInteger, takes_a_minus_only_where_there_are_negative_numbers) {
  if (std::is_signed_v<TypeParam>) {
    EXPECT_EQ(parse_integer<TypeParam>("-1"), static_cast<TypeParam>(-1));
    EXPECT_EQ(parse_integer<TypeParam>("-0"), TypeParam{0});
  } else {
    EXPECT_FALSE(parse_integer<TypeParam>("-1"));
    EXPECT_FALSE(parse_integer<TypeParam>("-0"));
  }
}

TYPED_TEST(ParseInteger, takes_the_whole_text_or_nothing) {
  EXPECT_EQ(parse_integer<TypeParam>("0"), TypeParam{0});
  EXPECT_EQ(parse_integer<TypeParam>("42"), TypeParam{42});
  EXPECT_EQ(parse_integer<TypeParam>(std::string_view("1234").substr(1, 2)), TypeParam{23});
  for (const std::string_view text : {"", "-", "+", "+1", " 1", "1 ", "\t1", "1\n", "--1", "-+1", "+-1", "1.0", "1e2",
                                      "0x1", "1,000", "1_0", "a", "1a", "\xB9"}) {
    EXPECT_FALSE(parse_integer<TypeParam>(text)) << text;
  }
  EXPECT_FALSE(parse_integer<TypeParam>(std::string_view("1\0", 2)));
  EXPECT_FALSE(parse_integer<TypeParam>(std::string_view()));
}

TEST(ParseDouble, takes_finite_decimal_numbers) {
  EXPECT_EQ(parse_double("1"), 1.0);
  EXPECT_EQ(parse_double("-2.5"), -2.5);
  EXPECT_EQ(parse_double("1e9"), 1e9);
  EXPECT_EQ(parse_double("1E-3"), 1e-3);
  EXPECT_EQ(parse_double("1e+2"), 100.0);
  EXPECT_EQ(parse_double("0.1"), 0.1);
  EXPECT_EQ(parse_double("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(parse_double("5e-324"), std::numeric_limits<double>::denorm_min());
  const auto zero = parse_double("-0");
  ASSERT_TRUE(zero);
  EXPECT_TRUE(std::signbit(*zero));
}

TEST(ParseDouble, refuses_what_is_not_a_number_or_not_finite) {
  for (const std::string_view text :
       {"",      "-",      ".",    "-.",   "e5",  "+1",    " 1",       "1 ",    "--1",  "1e",
        "1e+",   "1.2.3",  "0x10", "0x1p", "inf", "-inf",  "INFINITY", "nan",   "-nan", "nan(1)",
        "1e309", "-1e309", "1,5",  "1f",   "1d",  "1e5.5", "1e-400",   "2e-324"}) {
    EXPECT_FALSE(parse_double(text)) << text;
  }
  EXPECT_FALSE(parse_double(std::string_view("1\0", 2)));
  EXPECT_FALSE(parse_double(std::string_view()));
}

TEST(AppendNumber, appends_to_what_is_there) {
  std::string out = "n=";
  append_number(out, 5LL);
  EXPECT_EQ(out, "n=5");
}

TEST(AppendNumber, writes_the_limits_of_integers) {
  std::string out;
  append_integer(out, std::numeric_limits<std::int64_t>::min());
  out += ' ';
  append_integer(out, std::numeric_limits<std::uint64_t>::max());
  out += ' ';
  append_integer(out, static_cast<signed char>(-128));
  out += ' ';
  append_integer(out, static_cast<unsigned char>(200));
  EXPECT_EQ(out, "-9223372036854775808 18446744073709551615 -128 200");
}

TEST(AppendNumber, writes_the_shortest_text_that_reads_back_as_the_same_double) {
  const auto text = [](double value) {
    std::string out;
    append_number(out, value);
    return out;
  };
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(1.0), "1");
  EXPECT_EQ(text(-0.0), "-0");
  EXPECT_EQ(text(0.1 + 0.2), "0.30000000000000004");
  for (const double value :
       {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(), std::numeric_limits<double>::min(),
        std::numeric_limits<double>::denorm_min(), 1.0 / 3, 1e22, 123456789012345680.0, -2.2250738585072011e-308}) {
    EXPECT_EQ(parse_double(text(value)), value) << text(value);
  }
}

TEST(AppendNumber, writes_a_float_as_a_float) {
  std::string out;
  append_number(out, 0.1F);
  EXPECT_EQ(out, "0.1");
}

TEST(AppendPadded, fills_with_zeros_up_to_the_width_and_never_cuts) {
  const auto text = [](unsigned value, std::size_t width) {
    std::string out = "<";
    append_padded(out, value, width);
    return out;
  };
  EXPECT_EQ(text(7, 2), "<07");
  EXPECT_EQ(text(0, 4), "<0000");
  EXPECT_EQ(text(1994, 4), "<1994");
  EXPECT_EQ(text(123, 2), "<123");
  EXPECT_EQ(text(0, 0), "<0");
  EXPECT_EQ(text(std::numeric_limits<unsigned>::max(), 12), "<004294967295");
}

}  // namespace
}  // namespace tern::base
