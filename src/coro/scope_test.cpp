#include "coro/manual_executor.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern::coro {
namespace {

Task<> waits(Event& event, int& ended) {
  co_await event;
  ++ended;
}
Task<> fails(std::string what) {
  co_await yield();
  throw std::runtime_error(what);
}
std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

TEST(Scope, owns_tasks_until_they_have_ended) {
  ManualExecutor executor;
  Scope scope;
  Event event;
  int ended = 0;
  scope.spawn(waits(event, ended));
  scope.spawn(waits(event, ended));
  EXPECT_EQ(scope.running(), 2U);
  StartedTask<> joining(scope.join());
  executor.run();
  EXPECT_FALSE(joining.ended());
  event.set();
  executor.run();
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(scope.running(), 0U);
  EXPECT_EQ(joining.error(), "nothing");
}

TEST(Scope, joins_at_once_when_nothing_runs) {
  ManualExecutor executor;
  Scope scope;
  int ended = 0;
  Event event;
  event.set();
  scope.spawn(waits(event, ended));
  EXPECT_EQ(ended, 1);
  StartedTask<> joining(scope.join());
  EXPECT_TRUE(joining.ended());
}

TEST(Scope, joins_what_is_spawned_meanwhile_too) {
  ManualExecutor executor;
  Scope scope;
  Event first;
  Event second;
  int ended = 0;
  const auto follow = [](Scope& in, Event& one, Event& two, int& count) -> Task<> {
    co_await one;
    in.spawn(waits(two, count));
  };
  scope.spawn(follow(scope, first, second, ended));
  StartedTask<> joining(scope.join());
  first.set();
  executor.run();
  EXPECT_FALSE(joining.ended());
  second.set();
  executor.run();
  EXPECT_TRUE(joining.ended());
  EXPECT_EQ(ended, 1);
}

TEST(Scope, goes_on_waiting_when_a_task_is_spawned_between_the_last_end_and_the_turn) {
  ManualExecutor executor;
  Scope scope;
  Event first;
  Event second;
  int ended = 0;
  scope.spawn(waits(first, ended));
  StartedTask<> joining(scope.join());
  first.set();
  executor.step();  // the task has ended, and the joining coroutine has its turn next
  scope.spawn(waits(second, ended));
  executor.run();
  EXPECT_FALSE(joining.ended());
  second.set();
  executor.run();
  EXPECT_TRUE(joining.ended());
}

TEST(Scope, gives_exceptions_but_not_cancellations_to_its_callback) {
  ManualExecutor executor;
  std::vector<std::string> errors;
  Scope scope([&errors](std::exception_ptr error) { errors.push_back(text_of(error)); });
  Event never;
  int ended = 0;
  scope.spawn(fails("one"));
  scope.spawn(fails("two"));
  scope.spawn(waits(never, ended));
  executor.run();
  EXPECT_EQ(errors, (std::vector<std::string>{"one", "two"}));
  scope.stop();
  StartedTask<> joining(scope.join());
  executor.run();
  EXPECT_EQ(joining.error(), "nothing");
  EXPECT_EQ(errors.size(), 2U);
}

TEST(Scope, without_a_callback_throws_the_first_exception_where_it_is_joined) {
  ManualExecutor executor;
  Scope scope;
  scope.spawn(fails("one"));
  scope.spawn(fails("two"));
  StartedTask<> joining(scope.join());
  executor.run();
  EXPECT_EQ(joining.error(), "one");
  EXPECT_EQ(StartedTask<>(scope.join()).error(), "nothing");
}

TEST(Scope, stops_running_and_later_tasks) {
  ManualExecutor executor;
  Scope scope;
  Event never;
  int ended = 0;
  scope.spawn(waits(never, ended));
  EXPECT_FALSE(scope.stop_token().stop_requested());
  scope.stop();
  EXPECT_TRUE(scope.stop_token().stop_requested());
  executor.run();
  EXPECT_EQ(scope.running(), 0U);
  scope.spawn(waits(never, ended));
  EXPECT_EQ(scope.running(), 0U);
  EXPECT_EQ(ended, 0);
}

TEST(Scope, is_stopped_with_the_token_it_was_made_with) {
  ManualExecutor executor;
  StopState outer;
  Scope scope{StopToken(outer)};
  Event never;
  int ended = 0;
  scope.spawn(waits(never, ended));
  outer.stop();
  executor.run();
  EXPECT_EQ(scope.running(), 0U);
}

TEST(Scope, does_not_stop_what_is_uncancelled_but_waits_for_it) {
  ManualExecutor executor;
  Scope scope;
  Event event;
  int ended = 0;
  scope.spawn(uncancelled(waits(event, ended)));
  scope.stop();
  StartedTask<> joining(scope.join());
  executor.run();
  EXPECT_FALSE(joining.ended());
  event.set();
  executor.run();
  EXPECT_TRUE(joining.ended());
  EXPECT_EQ(ended, 1);
}

TEST(Scope, that_dies_destroys_what_waits) {
  ManualExecutor executor;
  const auto value = std::make_shared<int>(1);
  const auto hold = [](std::shared_ptr<int> held) -> Task<> {
    co_await sleep_for(Seconds(1));
    ++*held;
  };
  {
    Scope scope;
    for (int i = 0; i < 10; ++i) scope.spawn(hold(value));
    EXPECT_EQ(value.use_count(), 11);
  }
  EXPECT_EQ(value.use_count(), 1);
  EXPECT_EQ(executor.timers_armed(), 0U);
}

TEST(Scope, that_is_cleared_can_be_used_again) {
  ManualExecutor executor;
  Scope scope;
  Event event;
  int ended = 0;
  scope.spawn(waits(event, ended));
  scope.clear();
  EXPECT_EQ(scope.running(), 0U);
  scope.spawn(waits(event, ended));
  StartedTask<> joining(scope.join());
  event.set();
  executor.run();
  EXPECT_TRUE(joining.ended());
  EXPECT_EQ(ended, 1);
}

TEST(Scope, takes_its_memory_from_the_pool) {
  const base::BlockPoolScope blocks;
  ManualExecutor executor;
  Scope scope;
  Event event;
  int ended = 0;
  const auto once = [&] {
    scope.spawn(waits(event, ended));
    event.set();
    executor.run();
    event.reset();
  };
  once();
  const std::size_t before = base::blocks_from_heap();
  for (int i = 0; i < 1000; ++i) once();
  EXPECT_EQ(base::blocks_from_heap(), before);
  EXPECT_EQ(ended, 1001);
}

// An executor with background tasks.
class BackgroundExecutor final : public Executor {
public:
  BackgroundExecutor() : before_(make_current(this)) {}
  ~BackgroundExecutor() { make_current(before_); }
  void post(base::Function<void()> work) override { posts.push_back(std::move(work)); }
  Timers& timers() noexcept override { return nowhere_.timers(); }
  Scope* background() noexcept override { return &scope; }

private:
  ManualExecutor nowhere_;

public:
  std::vector<base::Function<void()>> posts;
  Scope scope;

private:
  Executor* before_;
};

TEST(Spawn, gives_a_task_to_the_scope_of_the_executor) {
  BackgroundExecutor executor;
  Event event;
  int ended = 0;
  spawn(waits(event, ended));
  EXPECT_EQ(executor.scope.running(), 1U);
}

TEST(Spawn, is_not_stopped_with_the_one_who_spawns) {
  BackgroundExecutor executor;
  StopState stop;
  stop.stop();
  Event event;
  int ended = 0;
  const auto spawning = [](Event& until, int& count) -> Task<> {
    spawn(waits(until, count));
    co_return;
  };
  const StartedTask<> one(spawning(event, ended), &stop);
  EXPECT_TRUE(one.ended());
  EXPECT_EQ(executor.scope.running(), 1U);
}

TEST(Spawn, keeps_a_callable_until_its_coroutine_has_ended) {
  BackgroundExecutor executor;
  const auto value = std::make_shared<int>(0);
  Event event;
  spawn([value, &event]() -> Task<> {
    co_await event;
    ++*value;
  });
  EXPECT_EQ(value.use_count(), 2);
  event.set();
  for (auto& work : std::exchange(executor.posts, {})) work();
  EXPECT_EQ(*value, 1);
  EXPECT_EQ(value.use_count(), 1);
  spawn([value] { ++*value; });
  EXPECT_EQ(*value, 2);
}

TEST(Spawn, throws_where_there_is_no_scope) {
  EXPECT_THROW(spawn([] {}), std::logic_error);
  const ManualExecutor executor;
  EXPECT_THROW(spawn([] {}), std::logic_error);
}

}  // namespace
}  // namespace tern::coro
