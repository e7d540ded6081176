#include "coro/manual_executor.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tern::coro {
namespace {

template <class T>
Task<T> after(Milliseconds delay, T value) {
  co_await sleep_for(delay);
  co_return value;
}
Task<> failing_after(Milliseconds delay, std::string what) {
  co_await sleep_for(delay);
  throw std::runtime_error(what);
}
// Records how it ended.
Task<> watching(std::string& how, Milliseconds delay) {
  how = "began";
  try {
    co_await sleep_for(delay);
    how = "ended";
  } catch (const Cancelled&) {
    how = "stopped";
    throw;
  }
}
template <class... T>
std::vector<Task<int>> many(T... delays) {
  std::vector<Task<int>> tasks;
  (tasks.push_back(after(Milliseconds(delays), static_cast<int>(delays))), ...);
  return tasks;
}

TEST(WhenAll, has_all_values_in_the_order_of_the_arguments) {
  ManualExecutor executor;
  const auto work = []() -> Task<std::string> {
    auto [number, text, pointer] =
        co_await when_all(after(Milliseconds(20), 1), after(Milliseconds(10), std::string("two")),
                          after(Milliseconds(5), std::make_unique<int>(3)));
    co_return std::to_string(number) + text + std::to_string(*pointer);
  };
  StartedTask<std::string> running(work());
  executor.advance(19);
  EXPECT_FALSE(running.ended());
  executor.advance(1);
  EXPECT_EQ(running.result(), "1two3");
}

TEST(WhenAll, has_nothing_in_the_place_of_void) {
  using Mixed = decltype(when_all(after(Milliseconds(1), 1), sleep_for(Milliseconds(1))));
  static_assert(std::is_same_v<Mixed, Task<std::tuple<int, Nothing>>>);
  using Empty = decltype(when_all(sleep_for(Milliseconds(1)), yield()));
  static_assert(std::is_same_v<Empty, Task<void>>);
  ManualExecutor executor;
  StartedTask<> running(when_all(sleep_for(Milliseconds(1)), yield()));
  executor.advance(1);
  EXPECT_TRUE(running.ended());
}

TEST(WhenAll, throws_the_first_exception_when_the_others_have_been_stopped) {
  ManualExecutor executor;
  std::string how;
  StartedTask<> running(when_all(watching(how, Seconds(1)), failing_after(Milliseconds(10), "second"),
                                 failing_after(Milliseconds(5), "first")));
  executor.advance(5);
  EXPECT_EQ(how, "stopped");
  EXPECT_EQ(running.error(), "first");
}

TEST(WhenAll, waits_for_those_that_are_not_to_be_stopped) {
  ManualExecutor executor;
  std::string how;
  StartedTask<> running(
      when_all(uncancelled(watching(how, Milliseconds(50))), failing_after(Milliseconds(5), "broken")));
  executor.advance(49);
  EXPECT_FALSE(running.ended());
  executor.advance(1);
  EXPECT_EQ(how, "ended");
  EXPECT_EQ(running.error(), "broken");
}

TEST(WhenAll, does_not_begin_tasks_after_a_failure) {
  ManualExecutor executor;
  std::string how;
  const auto fail = []() -> Task<> {
    throw std::runtime_error("at once");
    co_return;
  };
  StartedTask<> running(when_all(fail(), watching(how, Milliseconds(1))));
  EXPECT_EQ(running.error(), "at once");
  EXPECT_EQ(how, "");
}

TEST(WhenAll, takes_any_number_of_one_type) {
  ManualExecutor executor;
  StartedTask<std::vector<int>> running(when_all(many(30, 10, 20)));
  executor.advance(30);
  EXPECT_EQ(running.result(), (std::vector{30, 10, 20}));
  StartedTask<std::vector<int>> none(when_all(std::vector<Task<int>>()));
  EXPECT_TRUE(none.result().empty());
  std::vector<Task<>> voids;
  voids.push_back(failing_after(Milliseconds(2), "second"));
  voids.push_back(failing_after(Milliseconds(1), "first"));
  StartedTask<> failing(when_all(std::move(voids)));
  executor.advance(1);
  EXPECT_EQ(failing.error(), "first");
}

TEST(WhenAll, is_at_once_what_is_ready) {
  ManualExecutor executor;
  const auto ready = [](int value) -> Task<int> { co_return value; };
  StartedTask<std::tuple<int, int>> running(when_all(ready(1), ready(2)));
  EXPECT_EQ(running.result(), std::tuple(1, 2));
}

TEST(WhenAny, has_the_first_and_stops_the_others) {
  ManualExecutor executor;
  std::string how;
  StartedTask<First<int>> same(when_any(after(Milliseconds(20), 1), after(Milliseconds(10), 2)));
  StartedTask<First<void>> empty(when_any(watching(how, Seconds(1)), sleep_for(Milliseconds(10))));
  executor.advance(10);
  const auto [index, value] = same.result();
  EXPECT_EQ(index, 1U);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(empty.result().index, 1U);
  EXPECT_EQ(how, "stopped");
  EXPECT_EQ(executor.timers_armed(), 0U);
}

TEST(WhenAny, has_optionals_when_the_types_differ) {
  ManualExecutor executor;
  const auto work = []() -> Task<std::string> {
    auto first = co_await when_any(after(Milliseconds(20), 1), after(Milliseconds(10), std::string("two")), yield());
    if (first.index == 2) {
      first = co_await when_any(after(Milliseconds(20), 1), after(Milliseconds(10), std::string("two")),
                                sleep_for(Seconds(1)));
    }
    co_return std::get<0>(first.value) ? "a number" : std::get<1>(first.value).value();
  };
  StartedTask<std::string> running(work());
  executor.advance(10);
  EXPECT_EQ(running.result(), "two");
}

TEST(WhenAny, throws_when_the_first_one_does) {
  ManualExecutor executor;
  StartedTask<First<void>> running(when_any(sleep_for(Milliseconds(10)), failing_after(Milliseconds(5), "first")));
  executor.advance(5);
  EXPECT_EQ(running.error(), "first");
}

TEST(WhenAny, takes_any_number_of_one_type) {
  ManualExecutor executor;
  StartedTask<First<int>> running(when_any(many(30, 10, 20)));
  executor.advance(30);
  const auto [index, value] = running.result();
  EXPECT_EQ(index, 1U);
  EXPECT_EQ(value, 10);
}

TEST(WhenAny, begins_nothing_after_one_that_is_ready) {
  ManualExecutor executor;
  std::string how;
  const auto ready = []() -> Task<> { co_return; };
  StartedTask<First<void>> running(when_any(ready(), watching(how, Milliseconds(1))));
  EXPECT_EQ(running.result().index, 0U);
  EXPECT_EQ(how, "");
}

}  // namespace
}  // namespace tern::coro
