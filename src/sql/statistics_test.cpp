// Histograms of waits.
#include <tern/sql/statistics.hpp>

#include <gtest/gtest.h>

namespace tern::sql {
namespace {

TEST(SqlWaitTimes, limits_are_inclusive) {
  WaitTimes waits;
  waits.add(0);
  waits.add(50);
  waits.add(51);
  waits.add(5'000'000);
  waits.add(5'000'001);
  EXPECT_EQ(waits.counts.front(), 2U);
  EXPECT_EQ(waits.counts[1], 1U);
  EXPECT_EQ(waits.counts[waits.counts.size() - 2], 1U);
  EXPECT_EQ(waits.counts.back(), 1U);
  EXPECT_EQ(waits.count(), 5U);
  EXPECT_EQ(waits.total_microseconds, 10'000'102U);
}

TEST(SqlStatistics, of_several_pools_are_added) {
  Statistics one;
  one.connections = 2;
  one.errors = 1;
  one.waits.add(7);
  Statistics sum = one;
  sum += one;
  EXPECT_EQ(sum.connections, 4U);
  EXPECT_EQ(sum.errors, 2U);
  EXPECT_EQ(sum.waits.count(), 2U);
}

}  // namespace
}  // namespace tern::sql
