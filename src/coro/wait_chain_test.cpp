// Chains of coroutines that wait.
#include "coro/wait_chain.hpp"

#include "coro/manual_executor.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tern::coro {
namespace {

struct Noted {
  Noted() { stop.set_wait_log(&log); }
  WaitLog log;
  StopState stop;
};

Task<> waits_for(Event& event) {
  co_await event.wait();
}
Task<int> calls(Event& event) {
  co_await waits_for(event);
  co_return 1;
}
Task<> outermost(Event& event) {
  static_cast<void>(co_await calls(event));
}

TEST(WaitChains, name_each_coroutine_once_from_the_waiting_one_on) {
  ManualExecutor executor;
  Noted noted;
  Event event;
  StartedTask<> task(outermost(event), &noted.stop);
  const auto chains = chains_of(noted.log, 10);
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_EQ(std::string(chains[0].what), "event");
  ASSERT_EQ(chains[0].functions.size(), 3U);
  EXPECT_NE(chains[0].functions[0], chains[0].functions[1]);
  EXPECT_NE(chains[0].functions[1], chains[0].functions[2]);

  // Another coroutine of the same function has the same code.
  Noted other;
  StartedTask<int> second(calls(event), &other.stop);
  const auto shorter = chains_of(other.log, 10);
  ASSERT_EQ(shorter.size(), 1U);
  EXPECT_EQ(shorter[0].functions,
            std::vector<const void*>(chains[0].functions.begin(), chains[0].functions.begin() + 2));
  event.set();
  executor.run();
  EXPECT_TRUE(chains_of(noted.log, 10).empty());
  EXPECT_TRUE(chains_of(other.log, 10).empty());
}

TEST(WaitChains, are_those_of_all_waits_the_newest_first) {
  ManualExecutor executor;
  Noted noted;
  Event event;
  const auto both = [](Event& first) -> Task<> { co_await when_all(waits_for(first), sleep_for(Seconds(1))); };
  StartedTask<> task(both(event), &noted.stop);
  const auto chains = chains_of(noted.log, 10);
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(std::string(chains[0].what), "timer");
  EXPECT_EQ(std::string(chains[1].what), "event");
  EXPECT_EQ(chains_of(noted.log, 1).size(), 1U);
  event.set();
  executor.run();
  ASSERT_EQ(chains_of(noted.log, 10).size(), 1U);
  EXPECT_EQ(std::string(chains_of(noted.log, 10)[0].what), "timer");
  executor.advance(1100);
  EXPECT_TRUE(chains_of(noted.log, 10).empty());
}

// The functions of the newest wait.
std::vector<const void*> newest_of(const Noted& noted) {
  const auto chains = chains_of(noted.log, 1);
  return chains.empty() ? std::vector<const void*>() : chains[0].functions;
}

// A chain begins with the functions of the waiting task, and ends with that of the coroutine that awaits the group.
template <class Combined>
void expect_to_continue(Combined combined, std::size_t between) {
  ManualExecutor executor;
  Noted noted;
  Event event;
  Event never;
  Noted alone;
  StartedTask<int> inner(calls(event), &alone.stop);
  const std::vector<const void*> own = newest_of(alone);
  ASSERT_EQ(own.size(), 2U);

  StartedTask<> task(combined(event, never), &noted.stop);
  const std::vector<const void*> functions = newest_of(noted);
  ASSERT_EQ(functions.size(), own.size() + between + 1);
  EXPECT_EQ(std::vector<const void*>(functions.begin(), functions.begin() + 2), own);

  // The coroutine of the group is the same function wherever it waits.
  Noted outside;
  StartedTask<> other(combined(never, event), &outside.stop);
  ASSERT_FALSE(newest_of(outside).empty());
  EXPECT_EQ(newest_of(outside).back(), functions.back());
  event.set();
  never.set();
  executor.run();
  EXPECT_TRUE(task.ended());
  EXPECT_TRUE(newest_of(noted).empty());
}

Task<> awaits_all(Event& first, Event& second) {
  co_await when_all(waits_for(second), calls(first));
}
Task<> awaits_any(Event& first, Event& second) {
  co_await when_any(waits_for(second), calls(first));
}
Task<> awaits_many(Event& first, Event& second) {
  std::vector<Task<int>> tasks;
  tasks.push_back(calls(second));
  tasks.push_back(calls(first));
  co_await when_all(std::move(tasks));
}
Task<> awaits_any_of_many(Event& first, Event& second) {
  std::vector<Task<int>> tasks;
  tasks.push_back(calls(second));
  tasks.push_back(calls(first));
  co_await when_any(std::move(tasks));
}
Task<> awaits_briefly(Event& first, Event&) {
  co_await with_timeout(Seconds(1), calls(first));
}

TEST(WaitChains, continue_at_the_coroutine_that_awaits_a_group) {
  expect_to_continue(&awaits_all, 1);
  expect_to_continue(&awaits_any, 1);
  expect_to_continue(&awaits_many, 1);
  expect_to_continue(&awaits_any_of_many, 1);
  expect_to_continue(&awaits_briefly, 1);
}

Task<> nested(Event& first, Event& second) {
  co_await when_all(waits_for(second), when_any(waits_for(second), with_timeout(Seconds(1), calls(first))));
}

TEST(WaitChains, continue_through_groups_within_groups) {
  expect_to_continue(&nested, 3);
}

Task<> discards(Task<int> task) {
  static_cast<void>(co_await task);
}

// The wait for the event is noted before the scope is joined, and continues at the coroutine that joins it.
TEST(WaitChains, continue_at_the_coroutine_that_joins_a_scope) {
  ManualExecutor executor;
  Noted noted;
  Event event;
  Event joins;
  const auto joining = [](Event& first, Event& before) -> Task<> {
    Scope scope(co_await current_stop());
    scope.spawn(discards(calls(first)));
    co_await before.wait();
    co_await scope.join();
  };
  StartedTask<> task(joining(event, joins), &noted.stop);
  auto chains = chains_of(noted.log, 10);
  ASSERT_EQ(chains.size(), 2U);
  const std::vector<const void*> outer = chains[0].functions;
  ASSERT_EQ(outer.size(), 1U);
  EXPECT_EQ(chains[1].functions.size(), 3U);  // up to the task of the scope: join() is not called yet
  joins.set();
  executor.run();
  chains = chains_of(noted.log, 10);
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_GT(chains[0].functions.size(), 4U);
  EXPECT_EQ(chains[0].functions.back(), outer[0]);
  event.set();
  executor.run();
  EXPECT_TRUE(task.ended());
}

TEST(WaitChains, end_with_a_destroyed_or_stopped_wait) {
  ManualExecutor executor;
  Noted noted;
  Event event;
  {
    StartedTask<> destroyed(outermost(event), &noted.stop);
    EXPECT_EQ(chains_of(noted.log, 10).size(), 1U);
  }
  EXPECT_TRUE(chains_of(noted.log, 10).empty());
  StartedTask<> stopped(outermost(event), &noted.stop);
  noted.stop.stop();
  executor.run();
  EXPECT_TRUE(stopped.ended());
  EXPECT_TRUE(chains_of(noted.log, 10).empty());
}

TEST(WaitChains, of_a_log_that_begins_anew_are_forgotten) {
  ManualExecutor executor;
  Noted noted;
  Event event;
  StartedTask<> older(outermost(event), &noted.stop);
  noted.log.reset();
  EXPECT_TRUE(chains_of(noted.log, 10).empty());
  StartedTask<> newer(waits_for(event), &noted.stop);
  older.destroy();
  ASSERT_EQ(chains_of(noted.log, 10).size(), 1U);
  EXPECT_EQ(chains_of(noted.log, 10)[0].functions.size(), 1U);
  event.set();
  executor.run();
  EXPECT_TRUE(chains_of(noted.log, 10).empty());
}

Task<> recursive(Event& event, std::size_t depth) {
  if (depth == 0) {
    co_await event.wait();
  } else {
    co_await recursive(event, depth - 1);
  }
}

TEST(WaitChains, are_bounded) {
  ManualExecutor executor;
  Noted noted;
  Event event;
  StartedTask<> task(recursive(event, 1000), &noted.stop);
  ASSERT_EQ(chains_of(noted.log, 1).size(), 1U);
  EXPECT_EQ(chains_of(noted.log, 1)[0].functions.size(), max_chain);
  event.set();
  executor.run();
  EXPECT_TRUE(task.ended());
}

}  // namespace
}  // namespace tern::coro
