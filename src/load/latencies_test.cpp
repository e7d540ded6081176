#include "load/latencies.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tern::load {
namespace {

TEST(Latencies, have_percentiles_by_nearest_rank) {
  Latencies latencies;
  EXPECT_EQ(latencies.percentile(0.5), 0);
  EXPECT_EQ(latencies.mean(), 0);
  for (int i = 100; i >= 1; --i) latencies.add(std::chrono::microseconds(i));
  EXPECT_EQ(latencies.percentile(0), 1);
  EXPECT_EQ(latencies.percentile(0.5), 50);
  EXPECT_EQ(latencies.percentile(0.99), 99);
  EXPECT_EQ(latencies.percentile(0.999), 100);
  EXPECT_EQ(latencies.percentile(1), 100);
  EXPECT_DOUBLE_EQ(latencies.mean(), 50.5);
  latencies.clear();
  EXPECT_EQ(latencies.size(), 0U);
}

}  // namespace
}  // namespace tern::load
