#include "logging/repeat_filter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::logging {
namespace {

using namespace std::chrono_literals;

const RepeatFilter::Time begin = std::chrono::sys_days(std::chrono::year(2026) / 11 / 24);

TEST(RepeatFilter, counts_frequent_lines_and_reports_it_when_the_time_is_over) {
  RepeatFilter filter(2, Seconds(10));
  int admitted = 0;
  for (int i = 0; i < 100; ++i) admitted += filter.admit(7, LogLevel::Error, "no disk", begin + i * 10ms) ? 1 : 0;
  EXPECT_EQ(admitted, 2);
  EXPECT_EQ(filter.next_due(), begin + 10s);
  EXPECT_TRUE(filter.take_due(begin + 9s).empty());
  const auto due = filter.take_due(begin + 10s);
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].line, "no disk");
  EXPECT_EQ(due[0].level, LogLevel::Error);
  EXPECT_EQ(due[0].count, 98U);
  EXPECT_FALSE(filter.next_due());
  EXPECT_TRUE(filter.admit(7, LogLevel::Error, "no disk", begin + 11s));
}

TEST(RepeatFilter, admits_different_lines) {
  RepeatFilter filter(1, Seconds(10));
  for (std::uint64_t hash = 0; hash < 1000; ++hash) EXPECT_TRUE(filter.admit(hash, LogLevel::Info, "x", begin));
}

TEST(RepeatFilter, reports_a_displaced_line_at_once) {
  RepeatFilter filter(1, Seconds(10));
  EXPECT_TRUE(filter.admit(1, LogLevel::Info, "a", begin));
  EXPECT_FALSE(filter.admit(1, LogLevel::Info, "a", begin));
  EXPECT_TRUE(filter.has_pending());
  EXPECT_TRUE(filter.admit(65, LogLevel::Info, "b", begin)) << "the same slot";
  const auto due = filter.take_due(begin);
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].line, "a");
  EXPECT_FALSE(filter.has_pending());
}

TEST(RepeatFilter, begins_again_when_the_clock_is_set_back) {
  RepeatFilter filter(1, Seconds(10));
  EXPECT_TRUE(filter.admit(1, LogLevel::Info, "a", begin));
  EXPECT_TRUE(filter.admit(1, LogLevel::Info, "a", begin - 1h));
}

TEST(RepeatFilter, of_zero_admits_everything) {
  RepeatFilter filter(0, Seconds(10));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(filter.admit(1, LogLevel::Info, "a", begin));
  EXPECT_FALSE(filter.has_pending());
}

}  // namespace
}  // namespace tern::logging
