#include "coro/saturation.hpp"

#include <gtest/gtest.h>

namespace tern::coro {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;

TEST(Saturation, begins_after_an_interval_without_rest) {
  Saturation worker;
  for (std::uint64_t now = 1; now < 100; ++now) worker.update(now * millisecond, 0);
  EXPECT_FALSE(worker.saturated()) << "a burst";
  EXPECT_EQ(worker.allowed_wait(), Saturation::interval);
  worker.update(101 * millisecond, 0);
  EXPECT_TRUE(worker.saturated());
}

TEST(Saturation, ends_with_an_interval_with_rest) {
  Saturation worker;
  worker.update(1 * millisecond, 0);
  worker.update(101 * millisecond, 4 * millisecond);
  EXPECT_TRUE(worker.saturated());
  worker.update(201 * millisecond, 9 * millisecond);
  EXPECT_FALSE(worker.saturated());
}

TEST(Saturation, allows_to_wait_for_as_long_as_a_task_takes) {
  Saturation worker;
  worker.update(1, 0);
  worker.update(1 + Saturation::interval, 0);
  EXPECT_EQ(worker.allowed_wait(), Saturation::min_wait);
  for (int i = 0; i < 200; ++i) worker.count(20 * millisecond);
  EXPECT_NEAR(static_cast<double>(worker.allowed_wait()), 20e6, 1e3);
  for (int i = 0; i < 200; ++i) worker.count(3 * millisecond);
  EXPECT_NEAR(static_cast<double>(worker.mean()), 3e6, 1e4);
}

}  // namespace
}  // namespace tern::coro
