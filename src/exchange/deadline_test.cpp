#include "exchange/deadline.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tern::exchange {
namespace {

enum class Purpose : std::uint8_t { None, Short, Long };

constexpr const char* name_of(Purpose purpose) noexcept {
  return purpose == Purpose::Short ? "short" : "long";
}

struct TestDeadline final : Deadline<Purpose> {
  explicit TestDeadline(net::Loop& loop) : Deadline(loop), loop_(loop) {}
  void on_deadline(Purpose purpose) noexcept override {
    fired.push_back(purpose);
    loop_.stop();
  }
  std::vector<Purpose> fired;

private:
  net::Loop& loop_;
};

class DeadlineTest : public ::testing::Test {
protected:
  net::Loop loop;
  TestDeadline deadline{loop};
};

TEST_F(DeadlineTest, an_earlier_one_replaces_a_later_one) {
  deadline.set_deadline(Purpose::Long, Seconds(1000));
  deadline.set_deadline(Purpose::Short, Milliseconds(1));
  loop.run();
  EXPECT_EQ(deadline.fired, std::vector{Purpose::Short});
  EXPECT_EQ(deadline.deadline(), Purpose::None);
}

TEST_F(DeadlineTest, a_later_one_replaces_an_earlier_one) {
  deadline.set_deadline(Purpose::Short, Milliseconds(1));
  const std::uint64_t start = loop.now();
  deadline.set_deadline(Purpose::Long, Milliseconds(30));
  loop.run();
  EXPECT_EQ(deadline.fired, std::vector{Purpose::Long});
  EXPECT_GE(loop.now() - start, 30U);
}

TEST_F(DeadlineTest, one_that_was_cleared_does_not_fire) {
  TestDeadline other(loop);
  deadline.set_deadline(Purpose::Short, Milliseconds(1));
  deadline.clear_deadline();
  other.set_deadline(Purpose::Long, Milliseconds(20));
  loop.run();
  EXPECT_TRUE(deadline.fired.empty());
  EXPECT_EQ(other.fired, std::vector{Purpose::Long});
}

// The only armed timer besides those of the loop.
TEST_F(DeadlineTest, says_what_it_is_for_and_when_it_is_due) {
  const auto purpose = [this] {
    TimerPurpose found{.what = "nothing is armed"};
    loop.armed_timers().for_each([&found](const Timer& timer) { found = timer.purpose(); });
    return found;
  };
  deadline.set_deadline(Purpose::Short, Milliseconds(100));
  EXPECT_EQ(std::string(purpose().what), "short");
  EXPECT_EQ(purpose().due, loop.now() + 100);
  deadline.set_deadline(Purpose::Long, Seconds(1000));  // the timer stays where it is
  EXPECT_EQ(std::string(purpose().what), "long");
  EXPECT_EQ(purpose().due, loop.now() + 1'000'000);
  deadline.clear_deadline();
  EXPECT_EQ(purpose().what, nullptr);
}

TEST_F(DeadlineTest, zero_is_none) {
  deadline.set_deadline(Purpose::Short, Milliseconds(1));
  deadline.set_deadline(Purpose::Long, Milliseconds(0));
  EXPECT_EQ(deadline.deadline(), Purpose::None);
}

}  // namespace
}  // namespace tern::exchange
