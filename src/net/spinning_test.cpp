#include "net/spinning.hpp"

#include "net/poller.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace tern::net {
namespace {

struct Nobody final : Watched {
  void on_ready(std::uint32_t) override {}
};

class SpinningByItself : public testing::Test {
protected:
  SpinningByItself() { spinning_.set(std::nullopt); }

  // How often it is worth it before `sleeps` sleeps that `alone` ends; what follows is `found` each time, or not.
  int worth(int sleeps, const Watched* alone, bool found, bool sends = true) {
    int times = 0;
    for (int i = 0; i < sleeps; ++i) {
      if (sends) ++sends_;
      if (!spinning_.worth(alone, sends_)) continue;
      ++times;
      spinning_.tell(found);
    }
    return times;
  }

  Spinning spinning_;
  std::uint64_t sends_ = 0;
  Nobody one_;
  Nobody other_;
};

TEST_F(SpinningByItself, is_worth_it_once_one_connection_has_come_again_and_again) {
  EXPECT_EQ(worth(8, &one_, true), 0);
  EXPECT_EQ(worth(1000, &one_, true), 1000);
}

TEST_F(SpinningByItself, is_not_worth_it_with_several_connections) {
  worth(100, &one_, true);
  EXPECT_EQ(worth(8, &other_, true), 0) << "another one has to come as often";
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(worth(1, i % 2 == 0 ? &one_ : &other_, true), 0);
  EXPECT_EQ(worth(1000, nullptr, true), 0) << "several at once, or a timer";
}

TEST_F(SpinningByItself, is_not_worth_it_for_one_that_is_not_answered) {
  EXPECT_EQ(worth(1000, &one_, true, false), 0);
  worth(8, &one_, true);
  EXPECT_EQ(worth(10, &one_, true), 10);
  EXPECT_EQ(worth(10, &one_, true, false), 0);
}

TEST_F(SpinningByItself, in_vain_is_tried_less_and_less) {
  EXPECT_LE(worth(10'000, &one_, false), 20);
  EXPECT_GE(worth(10'000, &one_, false), 8) << "but never given up";
}

TEST_F(SpinningByItself, begins_anew_with_the_first_success) {
  worth(100, &one_, false);
  worth(1024, &one_, true);
  EXPECT_EQ(worth(100, &one_, true), 100);
}

TEST(Spinning, is_never_worth_it_unless_asked_for) {
  Spinning spinning;
  Nobody one;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(spinning.worth(&one, 1));
    spinning.slept(0);
  }
}

TEST(Spinning, for_a_given_time_is_worth_it_while_sleeps_are_shorter) {
  Spinning spinning;
  spinning.set(20);
  EXPECT_EQ(spinning.length(), 20'000U);
  EXPECT_FALSE(spinning.worth(nullptr, 0));
  spinning.slept(19'999);
  EXPECT_TRUE(spinning.worth(nullptr, 0));
  spinning.slept(20'000);
  EXPECT_FALSE(spinning.worth(nullptr, 0));
}

}  // namespace
}  // namespace tern::net
