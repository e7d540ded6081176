#include "net/timer_wheel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace tern::net {
namespace {

struct TestTimer final : Timer {
  explicit TestTimer(std::function<void()> f = {}) : action(std::move(f)) {}
  void on_timer() noexcept override {
    ++calls;
    if (action) action();
  }
  std::function<void()> action;
  int calls = 0;
};

constexpr std::uint64_t start = 1'000'003;

std::size_t count(const TimerWheel& wheel) {
  std::size_t armed = 0;
  wheel.for_each([&](const Timer&) { ++armed; });
  return armed;
}

TEST(TimerWheel, visits_all_armed_timers) {
  TimerWheel wheel(start);
  EXPECT_EQ(count(wheel), 0U);
  TestTimer first;
  TestTimer second;
  TestTimer third;
  wheel.arm(first, start, Milliseconds(10));
  wheel.arm(second, start, Milliseconds(10));
  wheel.arm(third, start, Milliseconds(60'000));
  EXPECT_EQ(count(wheel), 3U);
  wheel.disarm(second);
  EXPECT_EQ(count(wheel), 2U);
  wheel.advance(start + 100);
  EXPECT_EQ(count(wheel), 1U);
  wheel.disarm(third);
  EXPECT_EQ(count(wheel), 0U);
}

TEST(TimerWheel, calls_a_timer_once_not_early_and_hardly_late) {
  for (std::uint64_t delay : {0U, 1U, 15U, 16U, 17U, 1000U, 16'384U, 60'000U}) {
    TimerWheel wheel(start);
    TestTimer timer;
    wheel.arm(timer, start, Milliseconds(delay));
    std::uint64_t called = 0;
    for (std::uint64_t now = start; now < start + delay + 100; ++now) {
      wheel.advance(now);
      if (timer.calls == 1 && called == 0) called = now;
    }
    EXPECT_EQ(timer.calls, 1);
    EXPECT_FALSE(timer.armed());
    EXPECT_GE(called, start + delay);
    EXPECT_LE(called, start + delay + TimerWheel::tick_length);
  }
}

TEST(TimerWheel, calls_timers_in_the_order_of_their_ticks) {
  TimerWheel wheel(start);
  std::vector<int> order;
  TestTimer late([&] { order.push_back(3); });
  TestTimer early([&] { order.push_back(1); });
  TestTimer middle([&] { order.push_back(2); });
  wheel.arm(late, start, Milliseconds(300));
  wheel.arm(early, start, Milliseconds(100));
  wheel.arm(middle, start, Milliseconds(200));
  wheel.advance(start + 1000);
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(TimerWheel, moves_an_armed_timer_later_and_earlier) {
  TimerWheel wheel(start);
  TestTimer timer;
  wheel.arm(timer, start, Milliseconds(100));
  wheel.arm(timer, start, Milliseconds(500));
  wheel.advance(start + 400);
  EXPECT_EQ(timer.calls, 0);
  wheel.advance(start + 520);
  EXPECT_EQ(timer.calls, 1);
  wheel.arm(timer, start + 520, Milliseconds(500));
  wheel.arm(timer, start + 520, Milliseconds(50));
  wheel.advance(start + 600);
  EXPECT_EQ(timer.calls, 2);
  wheel.advance(start + 2000);
  EXPECT_EQ(timer.calls, 2);
}

TEST(TimerWheel, moves_a_timer_that_was_put_off_back_to_an_earlier_time) {
  TimerWheel wheel(start);
  TestTimer timer;
  wheel.arm(timer, start, Milliseconds(100));
  wheel.arm(timer, start, Milliseconds(60'000));
  wheel.arm(timer, start, Milliseconds(50));
  wheel.advance(start + 80);
  EXPECT_EQ(timer.calls, 1);
}

TEST(TimerWheel, keeps_far_timers_for_many_turns) {
  TimerWheel wheel(start);
  TestTimer timer;
  const std::uint64_t delay = 24 * 3600 * 1000;
  wheel.arm(timer, start, Milliseconds(delay));
  for (std::uint64_t now = start; now < start + delay; now += 977) wheel.advance(now);
  EXPECT_EQ(timer.calls, 0);
  wheel.advance(start + delay + 20);
  EXPECT_EQ(timer.calls, 1);
}

TEST(TimerWheel, finds_everything_after_a_long_stall) {
  TimerWheel wheel(start);
  std::vector<std::unique_ptr<TestTimer>> timers;
  for (unsigned i = 0; i < 2000; ++i) {
    timers.push_back(std::make_unique<TestTimer>());
    wheel.arm(*timers.back(), start, Milliseconds(i * 37));
  }
  wheel.advance(start + 2000 * 37 + 100'000);
  for (const auto& timer : timers) EXPECT_EQ(timer->calls, 1);
  EXPECT_LT(wheel.wait(start + 1'000'000), 0);
}

TEST(TimerWheel, lets_a_callback_disarm_any_timer_of_the_same_tick) {
  TimerWheel wheel(start);
  std::vector<std::unique_ptr<TestTimer>> timers;
  int calls = 0;
  for (int i = 0; i < 10; ++i) {
    timers.push_back(std::make_unique<TestTimer>([&] {
      ++calls;
      for (const auto& other : timers) wheel.disarm(*other);
    }));
    wheel.arm(*timers.back(), start, Milliseconds(50));
  }
  wheel.advance(start + 100);
  EXPECT_EQ(calls, 1);
  EXPECT_LT(wheel.wait(start + 100), 0);
}

TEST(TimerWheel, calls_what_a_callback_arms_without_delay_in_a_later_advance) {
  TimerWheel wheel(start);
  TestTimer timer;
  timer.action = [&] { wheel.arm(timer, start + 5000, Milliseconds(0)); };
  wheel.arm(timer, start, Milliseconds(50));
  wheel.advance(start + 5000);
  EXPECT_EQ(timer.calls, 1);
  wheel.advance(start + 5020);
  EXPECT_EQ(timer.calls, 2);
  wheel.disarm(timer);
}

TEST(TimerWheel, takes_a_negative_delay_for_none_and_a_huge_one_as_it_is) {
  TimerWheel wheel(start);
  TestTimer past;
  TestTimer far;
  wheel.arm(past, start, Milliseconds(-5000));
  wheel.arm(far, start, Milliseconds::max());
  wheel.advance(start + 20);
  EXPECT_EQ(past.calls, 1);
  EXPECT_TRUE(far.armed());
  wheel.disarm(far);
}

TEST(TimerWheel, disarms_what_is_armed_when_it_is_destroyed) {
  TestTimer timer;
  {
    TimerWheel wheel(start);
    wheel.arm(timer, start, Milliseconds(50));
    EXPECT_TRUE(timer.armed());
  }
  EXPECT_FALSE(timer.armed());
}

TEST(TimerWheel, says_how_long_nothing_happens) {
  TimerWheel wheel(start);
  EXPECT_LT(wheel.wait(start), 0);
  TestTimer near;
  TestTimer far;
  wheel.arm(far, start, Milliseconds(10'000));
  EXPECT_GE(wheel.wait(start), 10'000);
  EXPECT_LE(wheel.wait(start), 10'016);
  wheel.arm(near, start, Milliseconds(20));
  EXPECT_GE(wheel.wait(start), 20);
  EXPECT_LE(wheel.wait(start), 36);
  EXPECT_EQ(wheel.wait(start + 50), 0);
  wheel.disarm(near);
  EXPECT_GT(wheel.wait(start), 9'000);
  wheel.disarm(far);
  EXPECT_LT(wheel.wait(start), 0);
}

TEST(TimerWheel, never_asks_to_be_woken_for_nothing_twice) {
  // Following wait() must lead to the timer in few steps, not one per tick.
  TimerWheel wheel(start);
  TestTimer timer;
  wheel.arm(timer, start, Milliseconds(60'000));
  std::uint64_t now = start;
  int steps = 0;
  while (timer.calls == 0 && steps < 100) {
    now += static_cast<std::uint64_t>(wheel.wait(now));
    wheel.advance(now);
    ++steps;
  }
  EXPECT_LE(steps, 5);
  EXPECT_GE(now, start + 60'000);
}

TEST(TimerWheel, agrees_with_a_plain_list_under_random_use) {
  std::mt19937 random(7);
  TimerWheel wheel(start);
  constexpr std::size_t count = 500;
  std::vector<std::unique_ptr<TestTimer>> timers;
  std::vector<std::uint64_t> due(count, 0);  // 0: not armed
  std::uint64_t now = start;
  for (std::size_t i = 0; i < count; ++i) {
    timers.push_back(std::make_unique<TestTimer>([&, i] {
      EXPECT_NE(due[i], 0U);
      EXPECT_GE(now, due[i]);
      due[i] = 0;
    }));
  }
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t i = random() % count;
    if (random() % 4 == 0) {
      wheel.disarm(*timers[i]);
      due[i] = 0;
    } else {
      const std::uint64_t delay = random() % (random() % 8 == 0 ? 100'000 : 2'000);
      due[i] = now + delay;
      wheel.arm(*timers[i], now, Milliseconds(delay));
    }
    now += random() % 60;
    wheel.advance(now);
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_EQ(timers[k]->armed(), due[k] != 0);
      ASSERT_TRUE(due[k] == 0 || now < due[k] + TimerWheel::tick_length);
    }
  }
  for (const auto& timer : timers) wheel.disarm(*timer);
}

}  // namespace
}  // namespace tern::net
