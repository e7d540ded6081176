#include "coro/saturation.hpp"

#include <gtest/gtest.h>

namespace tern::coro {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;

TEST(Saturation, begins_after_an_interval_without_rest) {
  Saturation worker;
  for (std::uint64_t now = 1; now < 100; ++now) worker.update(now * millisecond, 0);
  EXPECT_FALSE(worker.saturated()) << "a burst";
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
  EXPECT_EQ(worker.allowed_wait(0), Saturation::min_wait);
  for (int i = 0; i < 200; ++i) worker.count(20 * millisecond);
  EXPECT_NEAR(static_cast<double>(worker.allowed_wait(0)), 20e6, 1e3);
  for (int i = 0; i < 200; ++i) worker.count(3 * millisecond);
  EXPECT_NEAR(static_cast<double>(worker.mean()), 3e6, 1e4);
}

TEST(Saturation, allows_a_burst_until_there_was_no_rest_for_a_while) {
  Saturation worker;
  for (int i = 0; i < 200; ++i) worker.count(2 * millisecond);
  worker.update(1000 * millisecond, 900 * millisecond);  // rest until here
  worker.update(1060 * millisecond, 900 * millisecond);
  EXPECT_FALSE(worker.saturated());
  EXPECT_EQ(worker.allowed_wait(1000 * millisecond), Saturation::interval) << "these are a burst";
  EXPECT_EQ(worker.allowed_wait(1009 * millisecond), Saturation::interval);
  EXPECT_NEAR(static_cast<double>(worker.allowed_wait(1010 * millisecond)), 6e6, 1e4) << "three times of a task";
  worker.update(1070 * millisecond, 905 * millisecond);  // rest
  EXPECT_EQ(worker.allowed_wait(1070 * millisecond), Saturation::interval);
}

TEST(Saturation, bounds_the_begin_of_an_overload_by_a_minimum_and_a_maximum) {
  Saturation worker;
  worker.update(1 * millisecond, 0);
  worker.update(12 * millisecond, 0);
  EXPECT_EQ(worker.allowed_wait(12 * millisecond), Saturation::onset_wait) << "nothing is known of the tasks";
  for (int i = 0; i < 200; ++i) worker.count(80 * millisecond);
  EXPECT_EQ(worker.allowed_wait(12 * millisecond), Saturation::interval);
}

}  // namespace
}  // namespace tern::coro
