#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include <tern/json/json.hpp>

#include "json/read_testing.hpp"

namespace tern::json {
namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::sys_time;
using SysMillis = sys_time<std::chrono::milliseconds>;
using SysMicros = sys_time<std::chrono::microseconds>;
using SysNanos = sys_time<std::chrono::nanoseconds>;
using namespace std::chrono_literals;

constexpr sys_days day = std::chrono::year(2024) / 2 / 29;
constexpr const char* no_time = "expected date and time as in 2024-12-31T23:59:59Z";

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

TEST(JsonTime, writes_utc_with_the_digits_of_the_duration) {
  EXPECT_EQ(to_string(sys_seconds(day + 1h + 2min + 3s)), "\"2024-02-29T01:02:03Z\"");
  EXPECT_EQ(to_string(SysMillis(day + 4ms)), "\"2024-02-29T00:00:00.004Z\"");
  EXPECT_EQ(to_string(SysMicros(day + 23h + 5us)), "\"2024-02-29T23:00:00.000005Z\"");
  EXPECT_EQ(to_string(SysNanos(day + 123456789ns)), "\"2024-02-29T00:00:00.123456789Z\"");
  EXPECT_EQ(to_string(day), "\"2024-02-29T00:00:00Z\"");
  EXPECT_EQ(to_string(sys_time<std::chrono::minutes>(day + 61min)), "\"2024-02-29T01:01:00Z\"");
  EXPECT_EQ(to_string(SysNanos()), "\"1970-01-01T00:00:00.000000000Z\"");
  EXPECT_TRUE(to_string(std::chrono::system_clock::time_point()).starts_with("\"1970-01-01T00:00:00.000000"));
}

TEST(JsonTime, writes_times_before_1970) {
  EXPECT_EQ(to_string(SysMillis(-1ms)), "\"1969-12-31T23:59:59.999Z\"");
  EXPECT_EQ(to_string(sys_days(std::chrono::year(0) / 1 / 1)), "\"0000-01-01T00:00:00Z\"");
}

TEST(JsonTime, writes_null_for_years_that_have_no_four_digits) {
  EXPECT_EQ(to_string(sys_seconds(sys_days(std::chrono::year(9999) / 12 / 31) + 24h - 1s)), "\"9999-12-31T23:59:59Z\"");
  EXPECT_EQ(to_string(sys_days(std::chrono::year(10000) / 1 / 1)), "null");
  EXPECT_EQ(to_string(sys_days(std::chrono::year(-1) / 12 / 31)), "null");
  EXPECT_EQ(to_string(sys_seconds::max()), "null");
  EXPECT_EQ(to_string(sys_time<std::chrono::hours>::min()), "null");
}

TEST(JsonTime, reads_utc_and_offsets) {
  EXPECT_EQ(read<sys_seconds>("\"2024-02-29T01:02:03Z\""), sys_seconds(day + 1h + 2min + 3s));
  EXPECT_EQ(read<sys_seconds>("\"2024-02-29t01:02:03z\""), sys_seconds(day + 1h + 2min + 3s));
  EXPECT_EQ(read<sys_seconds>("\"2024-02-29T01:00:00+02:30\""), sys_seconds(day - 1h - 30min));
  EXPECT_EQ(read<sys_seconds>("\"2024-02-28T23:00:00-01:00\""), sys_seconds(day));
  EXPECT_EQ(read<sys_seconds>("\"2024-02-29T00:00:00-00:00\""), sys_seconds(day));
  EXPECT_EQ(read<sys_seconds>("\"2024-02-29T23:59:00+23:59\""), sys_seconds(day));
}

TEST(JsonTime, rounds_down_to_what_the_type_holds) {
  EXPECT_EQ(read<SysMillis>("\"2024-02-29T00:00:00.0019999Z\""), SysMillis(day + 1ms));
  EXPECT_EQ(read<SysNanos>("\"2024-02-29T00:00:00.5Z\""), SysNanos(day + 500ms));
  EXPECT_EQ(read<SysNanos>("\"2024-02-29T00:00:00." + std::string(5000, '9') + "Z\""), SysNanos(day + 999999999ns));
  EXPECT_EQ(read<sys_seconds>("\"1969-12-31T23:59:59.999Z\""), sys_seconds(-1s));
  EXPECT_EQ(read<sys_days>("\"1969-12-31T23:59:59Z\""), sys_days(-std::chrono::days(1)));
  EXPECT_EQ(read<SysMillis>("\"1969-12-31T23:59:59.9999Z\""), SysMillis(-1ms));
}

TEST(JsonTime, takes_a_leap_second_only_at_the_end_of_a_month) {
  const sys_days next_year = std::chrono::year(2017) / 1 / 1;
  EXPECT_EQ(read<sys_seconds>("\"2016-12-31T23:59:60Z\""), sys_seconds(next_year));
  EXPECT_EQ(read<SysMillis>("\"2016-12-31T15:59:60.5-08:00\""), SysMillis(next_year + 500ms));
  EXPECT_EQ(problems_of<sys_seconds>("\"2016-12-30T23:59:60Z\""), no_time);
  EXPECT_EQ(problems_of<sys_seconds>("\"2016-12-31T23:58:60Z\""), no_time);
  EXPECT_EQ(problems_of<sys_seconds>("\"2016-12-31T23:59:60+01:00\""), no_time);
  EXPECT_EQ(problems_of<sys_seconds>("\"2016-12-31T23:59:61Z\""), no_time);
}

TEST(JsonTime, refuses_what_rfc_3339_does_not_know) {
  for (const char* text : {"",
                           "2024-02-29",
                           "2024-02-29T01:02:03",
                           "2024-02-29 01:02:03Z",
                           "2024-02-29T01:02Z",
                           "2024-02-29T01:02:03.Z",
                           "2024-02-29T01:02:03,5Z",
                           "2024-02-29T01:02:03+0100",
                           "2024-02-29T01:02:03+01",
                           "2024-02-29T01:02:03+1:00",
                           "2024-02-29T01:02:03+24:00",
                           "2024-02-29T01:02:03+00:60",
                           "2024-02-29T01:02:03ZZ",
                           "2024-02-29T01:02:03Z ",
                           " 2024-02-29T01:02:03Z",
                           "2023-02-29T01:02:03Z",
                           "2024-00-01T01:02:03Z",
                           "2024-13-01T01:02:03Z",
                           "2024-01-00T01:02:03Z",
                           "2024-04-31T01:02:03Z",
                           "2024-01-01T24:00:00Z",
                           "2024-01-01T00:60:00Z",
                           "24-01-01T00:00:00Z",
                           "+2024-01-01T00:00:00Z",
                           "-024-01-01T00:00:00Z",
                           "12024-01-01T00:00:00Z",
                           "2024-1-01T00:00:00Z",
                           "2024-001T00:00:00Z",
                           "1709168523"}) {
    EXPECT_EQ(problems_of<sys_seconds>(in_quotes(text)), no_time) << text;
  }
  EXPECT_EQ(problems_of<sys_seconds>("1709168523"), "expected string");
}

TEST(JsonTime, refuses_every_truncation) {
  const std::string whole = "2024-02-29T01:02:03.25+01:30";
  ASSERT_TRUE(read<SysMillis>(in_quotes(whole)));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(problems_of<SysMillis>(in_quotes(whole.substr(0, length))), no_time) << length;
  }
}

TEST(JsonTime, refuses_years_that_the_type_cannot_hold) {
  EXPECT_EQ(problems_of<SysNanos>("\"9999-12-31T23:59:59Z\""), "date out of range");
  EXPECT_EQ(problems_of<SysNanos>("\"1600-01-01T00:00:00Z\""), "date out of range");
}

TEST(JsonTime, takes_durations_as_numbers_of_their_unit) {
  EXPECT_EQ(to_string(std::chrono::milliseconds(1500)), "1500");
  EXPECT_EQ(to_string(std::chrono::duration<double>(1.5)), "1.5");
  EXPECT_EQ(read<std::chrono::minutes>("-3"), -3min);
  EXPECT_EQ(read<std::chrono::duration<double>>("2.5"), std::chrono::duration<double>(2.5));
  EXPECT_EQ(problems_of<std::chrono::seconds>("1.5"), "expected integer");
}

}  // namespace
}  // namespace tern::json
