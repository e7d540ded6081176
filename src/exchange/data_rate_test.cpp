#include "exchange/data_rate.hpp"

#include <gtest/gtest.h>

namespace tern::exchange {
namespace {

TEST(MinDataRate, is_met_by_its_bytes_in_a_period) {
  const MinDataRate rate{.bytes_per_second = 240, .period = Milliseconds(5000)};
  EXPECT_EQ(rate.time_to_next(), Milliseconds(5000));
  EXPECT_TRUE(rate.is_met_by(1200));
  EXPECT_FALSE(rate.is_met_by(1199));
}

TEST(MinDataRate, of_zero_is_not_checked) {
  const MinDataRate rate{.bytes_per_second = 0, .period = Milliseconds(5000)};
  EXPECT_EQ(rate.time_to_next(), Milliseconds(0));
  EXPECT_TRUE(rate.is_met_by(0));
}

TEST(Progress, gives_the_bytes_since_the_last_check) {
  Progress progress;
  progress.start(100, 0);
  EXPECT_EQ(progress.advance_to(150, 10), 50U);
  EXPECT_EQ(progress.advance_to(150, 20), 0U);
  EXPECT_FALSE(progress.has_stalled(Milliseconds(11), 20));
  EXPECT_TRUE(progress.has_stalled(Milliseconds(10), 20));
}

TEST(Progress, of_an_answer_that_grows_is_not_progress) {
  Progress progress;
  progress.start(100, 0);
  EXPECT_EQ(progress.fall_to(200, 10), 0U);  // more was written
  EXPECT_TRUE(progress.has_stalled(Milliseconds(10), 10));
  EXPECT_EQ(progress.fall_to(120, 10), 80U);
  EXPECT_FALSE(progress.has_stalled(Milliseconds(10), 19));
}

TEST(Progress, without_patience_never_stalls) {
  Progress progress;
  progress.start(0, 0);
  EXPECT_FALSE(progress.has_stalled(Milliseconds(0), 1'000'000));
}

}  // namespace
}  // namespace tern::exchange
