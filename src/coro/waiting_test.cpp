// sleep_for, yield, Event, Channel and with_timeout, individually. Stopping them: cancellation_test.cpp.
#include "coro/manual_executor.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern::coro {
namespace {

using Log = std::vector<std::string>;

Task<> sleeper(Milliseconds delay, Log& log, std::string name) {
  co_await sleep_for(delay);
  log.push_back(std::move(name));
}

TEST(Sleep, ends_when_its_time_has_passed) {
  ManualExecutor executor;
  Log log;
  StartedTask<> late(sleeper(Milliseconds(20), log, "late"));
  StartedTask<> early(sleeper(Milliseconds(10), log, "early"));
  executor.advance(9);
  EXPECT_EQ(log, Log{});
  executor.advance(1);
  EXPECT_EQ(log, Log{"early"});
  executor.advance(10);
  EXPECT_EQ(log, (Log{"early", "late"}));
}

TEST(Sleep, of_no_time_or_less_yields) {
  ManualExecutor executor;
  Log log;
  StartedTask<> first(sleeper(Milliseconds(0), log, "zero"));
  StartedTask<> second(sleeper(Milliseconds(-5), log, "negative"));
  EXPECT_EQ(log, Log{});
  EXPECT_EQ(executor.timers_armed(), 0U);
  executor.run();
  EXPECT_EQ(log, (Log{"zero", "negative"}));
}

TEST(Sleep, takes_seconds) {
  ManualExecutor executor;
  Log log;
  StartedTask<> running(sleeper(Seconds(2), log, "done"));
  executor.advance(1999);
  EXPECT_FALSE(running.ended());
  executor.advance(1);
  EXPECT_TRUE(running.ended());
}

TEST(Yield, lets_the_others_go_first) {
  ManualExecutor executor;
  Log log;
  const auto speak = [](Log& to, std::string name) -> Task<> {
    for (int i = 0; i < 2; ++i) {
      to.push_back(name);
      co_await yield();
    }
  };
  StartedTask<> a(speak(log, "a"));
  StartedTask<> b(speak(log, "b"));
  executor.post([&log] { log.push_back("posted"); });
  executor.run();
  EXPECT_EQ(log, (Log{"a", "b", "a", "b", "posted"}));
  EXPECT_TRUE(a.ended() && b.ended());
}

TEST(Yield, comes_back_in_a_later_round) {
  ManualExecutor executor;
  const auto twice = []() -> Task<> {
    co_await yield();
    co_await yield();
  };
  StartedTask<> running(twice());
  EXPECT_TRUE(executor.step());
  EXPECT_FALSE(running.ended());
  EXPECT_TRUE(executor.step());
  EXPECT_TRUE(running.ended());
  EXPECT_FALSE(executor.step());
}

Task<> event_waiter(Event& event, Log& log, std::string name) {
  co_await event;
  log.push_back(std::move(name));
}

TEST(Event, lets_all_go_on_in_order_but_not_inside_of_set) {
  ManualExecutor executor;
  Event event;
  Log log;
  StartedTask<> a(event_waiter(event, log, "a"));
  StartedTask<> b(event_waiter(event, log, "b"));
  event.set();
  EXPECT_EQ(log, Log{});
  executor.run();
  EXPECT_EQ(log, (Log{"a", "b"}));
}

TEST(Event, does_not_suspend_while_it_is_set) {
  ManualExecutor executor;
  Event event;
  Log log;
  event.set();
  EXPECT_TRUE(event.is_set());
  StartedTask<> at_once(event_waiter(event, log, "at once"));
  EXPECT_TRUE(at_once.ended());
  event.reset();
  StartedTask<> waits(event_waiter(event, log, "later"));
  EXPECT_FALSE(waits.ended());
  event.set();
  executor.run();
  EXPECT_EQ(log, (Log{"at once", "later"}));
}

TEST(Event, that_is_reset_before_their_turn_still_lets_them_go) {
  ManualExecutor executor;
  Event event;
  Log log;
  StartedTask<> waits(event_waiter(event, log, "woken"));
  event.set();
  event.reset();
  StartedTask<> next(event_waiter(event, log, "next"));
  executor.run();
  EXPECT_EQ(log, Log{"woken"});
  EXPECT_FALSE(next.ended());
}

TEST(Event, may_die_before_one_who_waits_is_destroyed) {
  ManualExecutor executor;
  Log log;
  auto event = std::make_unique<Event>();
  StartedTask<> waits(event_waiter(*event, log, "never"));
  event.reset();
  waits.destroy();
  EXPECT_EQ(log, Log{});
}

template <class T>
Task<> drain(Channel<T>& channel, std::vector<T>& to) {
  while (auto value = co_await channel.receive()) to.push_back(std::move(*value));
}

Task<int> send_all(Channel<int>& channel, int from, int to) {
  for (int i = from; i < to; ++i) {
    if (!co_await channel.send(i)) co_return i;
  }
  co_return to;
}

class Capacities : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Capacities, deliver_everything_in_order_for_any_arrival) {
  for (const bool receiver_first : {false, true}) {
    ManualExecutor executor;
    Channel<int> channel(GetParam());
    std::vector<int> got;
    std::optional<StartedTask<>> receiver;
    if (receiver_first) receiver.emplace(drain(channel, got));
    StartedTask<int> sender(send_all(channel, 0, 1000));
    if (!receiver_first) receiver.emplace(drain(channel, got));
    executor.run();
    ASSERT_TRUE(sender.ended());
    EXPECT_EQ(sender.result(), 1000);
    EXPECT_FALSE(receiver->ended());
    channel.close();
    executor.run();
    EXPECT_TRUE(receiver->ended());
    ASSERT_EQ(got.size(), 1000U);
    EXPECT_TRUE(std::ranges::is_sorted(got));
  }
}

TEST_P(Capacities, bound_what_is_under_way) {
  ManualExecutor executor;
  Channel<int> channel(GetParam());
  EXPECT_EQ(channel.capacity(), GetParam());
  StartedTask<int> sender(send_all(channel, 0, 1000));
  executor.run();
  EXPECT_FALSE(sender.ended());
  EXPECT_EQ(channel.size(), GetParam());
  EXPECT_FALSE(channel.try_send(5));
  EXPECT_EQ(channel.try_receive(), 0);
  executor.run();
  EXPECT_EQ(channel.size(), GetParam());
  channel.close();
  executor.run();
  EXPECT_EQ(sender.result(), static_cast<int>(GetParam()) + 1);  // the value that it could not send
  std::vector<int> rest;
  StartedTask<> receiver(drain(channel, rest));
  EXPECT_TRUE(receiver.ended());
  EXPECT_EQ(rest.size(), GetParam());
  EXPECT_FALSE(channel.try_send(5));
}

INSTANTIATE_TEST_SUITE_P(Channel, Capacities, ::testing::Values(0U, 1U, 2U, 7U),
                         [](const auto& tested) { return std::to_string(tested.param); });

TEST(Channel, serves_receivers_in_the_order_in_which_they_came) {
  ManualExecutor executor;
  Channel<int> channel(2);
  const auto one = [](Channel<int>& from) -> Task<int> { co_return *co_await from.receive(); };
  StartedTask<int> first(one(channel));
  StartedTask<int> second(one(channel));
  EXPECT_TRUE(channel.try_send(1));
  EXPECT_TRUE(channel.try_send(2));
  EXPECT_TRUE(channel.try_send(3));
  executor.run();
  EXPECT_EQ(first.result(), 1);
  EXPECT_EQ(second.result(), 2);
  EXPECT_EQ(channel.size(), 1U);
}

TEST(Channel, carries_what_only_moves) {
  ManualExecutor executor;
  Channel<std::unique_ptr<int>> channel(1);
  const auto send = [](Channel<std::unique_ptr<int>>& to) -> Task<> {
    co_await to.send(std::make_unique<int>(1));
    auto second = std::make_unique<int>(2);
    co_await to.send(std::move(second));
    to.close();
  };
  std::vector<std::unique_ptr<int>> got;
  StartedTask<> sender(send(channel));
  StartedTask<> receiver(drain(channel, got));
  executor.run();
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(*got[0] + *got[1], 3);
}

TEST(Channel, keeps_the_values_of_senders_that_were_stopped_to_themselves) {
  ManualExecutor executor;
  Channel<int> channel(0);
  StopState stop;
  StartedTask<int> stopped(send_all(channel, 1, 2), &stop);
  StartedTask<int> waits(send_all(channel, 2, 3));
  stop.stop();
  EXPECT_EQ(channel.try_receive(), 2);
  EXPECT_EQ(channel.try_receive(), std::nullopt);
  executor.run();
  EXPECT_EQ(stopped.error(), "cancelled");
  EXPECT_EQ(waits.result(), 3);
}

Task<int> answer_after(Milliseconds delay, int value) {
  co_await sleep_for(delay);
  co_return value;
}

TEST(WithTimeout, has_the_value_that_comes_in_time) {
  ManualExecutor executor;
  StartedTask<int> running(with_timeout(Milliseconds(10), answer_after(Milliseconds(9), 5)));
  executor.advance(9);
  EXPECT_EQ(running.result(), 5);
  EXPECT_EQ(executor.timers_armed(), 0U);
}

TEST(WithTimeout, ends_what_takes_too_long) {
  ManualExecutor executor;
  StartedTask<int> running(with_timeout(Milliseconds(10), answer_after(Milliseconds(11), 5)));
  executor.advance(10);
  EXPECT_EQ(running.error(), "timed out");
  EXPECT_EQ(executor.timers_armed(), 0U);
}

TEST(WithTimeout, waits_for_the_end_of_what_it_stopped) {
  ManualExecutor executor;
  const auto slow_to_stop = []() -> Task<> {
    bool stopped = false;
    try {
      co_await sleep_for(Seconds(10));
    } catch (const Cancelled&) {
      stopped = true;
    }
    co_await uncancelled(sleep_for(Milliseconds(5)));
    if (stopped) throw Cancelled();
  };
  StartedTask<> running(with_timeout(Milliseconds(10), slow_to_stop()));
  executor.advance(14);
  EXPECT_FALSE(running.ended());
  executor.advance(1);
  EXPECT_EQ(running.error(), "timed out");
}

TEST(WithTimeout, keeps_a_value_that_came_in_spite_of_it) {
  ManualExecutor executor;
  StartedTask<int> running(with_timeout(Milliseconds(10), uncancelled(answer_after(Milliseconds(50), 5))));
  executor.advance(50);
  EXPECT_EQ(running.result(), 5);
}

TEST(WithTimeout, lets_other_exceptions_pass) {
  ManualExecutor executor;
  const auto fail = []() -> Task<> {
    co_await yield();
    throw std::runtime_error("broken");
  };
  StartedTask<> running(with_timeout(Milliseconds(10), fail()));
  executor.run();
  EXPECT_EQ(running.error(), "broken");
}

TEST(WithTimeout, inside_of_another_ends_at_the_earlier_time) {
  ManualExecutor executor;
  const auto caught = [](Milliseconds inner, Milliseconds outer) -> Task<std::string> {
    const auto inside = [](Milliseconds limit) -> Task<std::string> {
      try {
        co_await with_timeout(limit, sleep_for(Seconds(10)));
      } catch (const TimedOut&) {
        co_return "inner";
      }
      co_return "none";
    };
    try {
      co_return co_await with_timeout(outer, inside(inner));
    } catch (const TimedOut&) {
      co_return "outer";
    }
  };
  StartedTask<std::string> inner(caught(Milliseconds(5), Milliseconds(10)));
  StartedTask<std::string> outer(caught(Milliseconds(10), Milliseconds(5)));
  executor.advance(10);
  EXPECT_EQ(inner.result(), "inner");
  EXPECT_EQ(outer.result(), "outer");
}

TEST(WithTimeout, needs_no_executor_for_what_does_not_wait) {
  const auto ready = []() -> Task<int> { co_return 3; };
  EXPECT_EQ(StartedTask<int>(with_timeout(Seconds(1), ready())).result(), 3);
}

}  // namespace
}  // namespace tern::coro
