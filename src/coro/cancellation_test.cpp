// Stops and destroys every kind of wait at every moment; the same tests for all of them.
#include "coro/manual_executor.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace tern::coro {
namespace {

// All objects to wait for.
struct World {
  World() {
    executor.pool = &pool;
    EXPECT_TRUE(full.try_send(0));
  }
  ManualPool pool;
  ManualExecutor executor;
  Event event;
  Channel<int> empty{1};
  Channel<int> full{1};
};

struct Kind {
  const char* name;
  std::function<Task<>(World&)> wait;
  std::function<void(World&)> happen;  // ends the wait
};

Task<> sleeping(World&) {
  co_await sleep_for(Milliseconds(10));
}
Task<> for_event(World& world) {
  co_await world.event;
}
Task<> sending(World& world) {
  EXPECT_TRUE(co_await world.full.send(1));
}
Task<> receiving(World& world) {
  EXPECT_EQ(co_await world.empty.receive(), 7);
}
Task<> offloading(World&) {
  co_await offload([] {});
}
Task<> timing(World& world) {
  co_await with_timeout(Seconds(10), world.event.wait());
}
Task<> all(World& world) {
  co_await when_all(world.event.wait(), sleep_for(Milliseconds(10)));
}
Task<> any(World& world) {
  const auto first = co_await when_any(world.event.wait(), sleep_for(Seconds(100)));
  EXPECT_EQ(first.index, 0U);
}
Task<> nested(World& world) {
  co_await all(world);
  co_await yield();
}
Task<> joining(World& world) {
  Scope scope;
  scope.spawn(sleeping(world));
  co_await scope.join();
}

const Kind kinds[] = {
    {"sleep_for", sleeping, [](World& world) { world.executor.advance(10); }},
    {"Event", for_event, [](World& world) { world.event.set(); }},
    {"Channel::send", sending, [](World& world) { EXPECT_TRUE(world.full.try_receive()); }},
    {"Channel::receive", receiving, [](World& world) { EXPECT_TRUE(world.empty.try_send(7)); }},
    {"offload", offloading, [](World& world) { world.pool.run_one(); }},
    {"with_timeout", timing, [](World& world) { world.event.set(); }},
    {"when_all", all,
     [](World& world) {
       world.event.set();
       world.executor.advance(10);
     }},
    {"when_any", any, [](World& world) { world.event.set(); }},
    {"a task in a task", nested,
     [](World& world) {
       world.event.set();
       world.executor.advance(10);
     }},
    {"Scope::join", joining, [](World& world) { world.executor.advance(10); }},
};

// A stop state and a task; the task sets `after` when it leaves the wait, normally or not.
Task<> watched(Task<> task, bool& after) {
  struct Mark {
    bool& set;
    ~Mark() { set = true; }
  };
  const Mark mark{after};
  co_await std::move(task);
}

class EveryWait : public ::testing::TestWithParam<Kind> {
protected:
  Task<> task() { return watched(GetParam().wait(world_), after_); }
  // No registrations are left in the awaited objects or the executor.
  void expect_clean() {
    world_.executor.run();
    EXPECT_EQ(world_.executor.timers_armed(), 0U);
    EXPECT_EQ(world_.executor.outstanding_jobs(), 0U);
    EXPECT_EQ(world_.pool.waiting, 0U);
    world_.event.set();
    EXPECT_EQ(world_.executor.run(), 0U);
  }

  World world_;
  StopState stop_;
  bool after_ = false;
};

TEST_P(EveryWait, ends_when_what_it_waits_for_happens) {
  StartedTask<> running(task(), &stop_);
  EXPECT_FALSE(running.ended());
  GetParam().happen(world_);
  world_.executor.run();
  EXPECT_TRUE(running.ended());
  EXPECT_EQ(running.error(), "nothing");
  stop_.stop();
  expect_clean();
}

TEST_P(EveryWait, ends_at_once_when_it_was_stopped_before) {
  stop_.stop();
  StartedTask<> running(task(), &stop_);
  world_.executor.run();  // join() notices that the tasks have ended
  EXPECT_EQ(running.error(), "cancelled");
  expect_clean();
}

TEST_P(EveryWait, is_resumed_by_its_executor_when_it_is_stopped_not_inside_the_stop) {
  StartedTask<> running(task(), &stop_);
  stop_.stop();
  EXPECT_FALSE(after_);
  world_.executor.run();
  EXPECT_TRUE(after_);
  EXPECT_EQ(running.error(), "cancelled");
  expect_clean();
}

TEST_P(EveryWait, is_not_stopped_when_it_is_uncancelled) {
  StartedTask<> running(uncancelled(task()), &stop_);
  stop_.stop();
  world_.executor.run();
  EXPECT_FALSE(running.ended());
  GetParam().happen(world_);
  world_.executor.run();
  EXPECT_EQ(running.error(), "nothing");
  expect_clean();
}

TEST_P(EveryWait, may_be_destroyed) {
  StartedTask<> running(task(), &stop_);
  running.destroy();
  EXPECT_TRUE(after_);
  stop_.stop();
  expect_clean();
}

TEST_P(EveryWait, may_be_destroyed_between_the_stop_and_its_turn) {
  StartedTask<> running(task(), &stop_);
  stop_.stop();
  running.destroy();
  EXPECT_TRUE(after_);
  expect_clean();
}

TEST_P(EveryWait, may_be_destroyed_between_the_event_and_its_turn) {
  StartedTask<> running(task(), &stop_);
  GetParam().happen(world_);
  running.destroy();
  EXPECT_TRUE(after_);
  expect_clean();
}

TEST_P(EveryWait, may_outlive_its_stop_state) {
  auto stop = std::make_unique<StopState>();
  StartedTask<> running(task(), stop.get());
  running.destroy();
  stop.reset();
  expect_clean();
}

TEST_P(EveryWait, is_an_error_where_no_executor_runs) {
  Task<> waits = task();
  std::string error;
  std::thread([&] {
    StartedTask<> running(std::move(waits));
    error = running.error();
  }).join();
  const bool called_on_the_spot = std::string(GetParam().name) == "offload";
  EXPECT_EQ(error, called_on_the_spot ? "nothing" : "a coroutine waits on a thread that has no running loop");
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryWait, ::testing::ValuesIn(kinds), [](const auto& tested) {
  std::string name = tested.param.name;
  std::ranges::replace_if(name, [](char c) { return c == ' ' || c == ':'; }, '_');
  return name;
});

TEST(Cancellation, reaches_a_coroutine_through_those_that_await_it) {
  ManualExecutor executor;
  StopState stop;
  const auto deep = [](const auto& self, int depth) -> Task<bool> {
    if (depth != 0) co_return co_await self(self, depth - 1);
    const StopToken token = co_await current_stop();
    co_return token.stop_requested();
  };
  StartedTask<bool> before(deep(deep, 5), &stop);
  EXPECT_FALSE(before.result());
  stop.stop();
  StartedTask<bool> after(deep(deep, 5), &stop);
  EXPECT_TRUE(after.result());
  StartedTask<bool> shielded(uncancelled(deep(deep, 5)), &stop);
  EXPECT_FALSE(shielded.result());
}

TEST(Cancellation, without_a_stop_state_is_an_empty_token) {
  const auto ask = []() -> Task<bool> { co_return (co_await current_stop()).state() == nullptr; };
  EXPECT_TRUE(StartedTask<bool>(ask()).result());
}

TEST(Cancellation, lets_clean_up_wait_and_then_goes_on) {
  ManualExecutor executor;
  StopState stop;
  bool cleaned = false;
  const auto work = [](bool& done) -> Task<> {
    std::exception_ptr error;
    try {
      co_await sleep_for(Seconds(10));
    } catch (const Cancelled&) {
      error = std::current_exception();
    }
    co_await uncancelled(sleep_for(Milliseconds(5)));
    done = true;
    if (error) std::rethrow_exception(error);
  };
  StartedTask<> running(work(cleaned), &stop);
  stop.stop();
  executor.run();
  EXPECT_FALSE(running.ended());
  executor.advance(5);
  EXPECT_TRUE(cleaned);
  EXPECT_EQ(running.error(), "cancelled");
}

TEST(Cancellation, that_comes_after_the_event_does_not_take_the_value_back) {
  World world;
  StopState stop;
  StartedTask<> receiver(receiving(world), &stop);
  EXPECT_TRUE(world.empty.try_send(7));
  stop.stop();
  world.executor.run();
  EXPECT_EQ(receiver.error(), "nothing");
}

TEST(Cancellation, wakes_thousands_in_the_order_in_which_they_were_stopped) {
  World world;
  std::vector<std::unique_ptr<StopState>> stops;
  std::vector<std::unique_ptr<StartedTask<>>> running;
  std::vector<int> order;
  const auto wait = [](World& in, std::vector<int>& log, int number) -> Task<> {
    try {
      co_await in.event;
    } catch (const Cancelled&) {
      log.push_back(number);
    }
  };
  for (int i = 0; i < 5000; ++i) {
    stops.push_back(std::make_unique<StopState>());
    running.push_back(std::make_unique<StartedTask<>>(wait(world, order, i), stops.back().get()));
  }
  for (const auto& stop : stops) stop->stop();
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(world.executor.run(), 1U);  // one post for all of them
  ASSERT_EQ(order.size(), 5000U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

}  // namespace
}  // namespace tern::coro
