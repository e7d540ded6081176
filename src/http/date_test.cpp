#include <tern/http/date.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace tern {
namespace {

std::string date(std::int64_t seconds) {
  std::string out;
  append_imf_fixdate(out, seconds);
  return out;
}

TEST(Date, writes_the_example_of_rfc_9110) {
  EXPECT_EQ(date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(Date, writes_the_ends_of_its_range) {
  EXPECT_EQ(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date(253402300799), "Fri, 31 Dec 9999 23:59:59 GMT");
}

TEST(Date, writes_what_lies_beyond_32_bits) {
  EXPECT_EQ(date(2147483647), "Tue, 19 Jan 2038 03:14:07 GMT");
  EXPECT_EQ(date(2147483648), "Tue, 19 Jan 2038 03:14:08 GMT");
}

TEST(Date, knows_leap_years) {
  EXPECT_EQ(date(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(date(1709164799), "Wed, 28 Feb 2024 23:59:59 GMT");
  EXPECT_EQ(date(1709164800), "Thu, 29 Feb 2024 00:00:00 GMT");
  EXPECT_EQ(date(4107542399), "Sun, 28 Feb 2100 23:59:59 GMT");
  EXPECT_EQ(date(4107542400), "Mon, 01 Mar 2100 00:00:00 GMT");
}

TEST(Date, agrees_with_a_calendar_kept_by_hand_on_every_day_of_a_century) {
  constexpr std::array<const char*, 7> days = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  constexpr std::array<const char*, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::array<int, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  std::int64_t number = 0;
  for (int year = 1970; year < 2100; ++year) {
    for (std::size_t month = 0; month < 12; ++month) {
      const int length = lengths[month] + (month == 1 && year % 4 == 0 ? 1 : 0);
      for (int day = 1; day <= length; ++day, ++number) {
        std::array<char, 64> expected;
        std::snprintf(expected.data(), expected.size(), "%s, %02d %s %04d 01:02:03 GMT",
                      days[static_cast<std::size_t>(number % 7)], day, months[month], year);
        ASSERT_EQ(date(number * 86400 + 3723), expected.data());
      }
    }
  }
}

TEST(Date, appends_to_what_is_there) {
  std::string out = "date: ";
  append_imf_fixdate(out, 0);
  EXPECT_EQ(out, "date: Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace tern
