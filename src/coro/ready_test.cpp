// A million ready awaits of every kind use constant stack, and no memory beyond the pool's.
#include "coro/manual_executor.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tern::coro {
namespace {

constexpr int million = 1'000'000;

struct Bench {
  Event event;
  Channel<int> channel{1};
  Stack stack;
};

Task<int> ready(int value) {
  co_return value;
}

Task<> events(Bench& bench, int times) {
  for (int i = 0; i < times; ++i) {
    co_await bench.event;
    bench.stack.look();
  }
}
Task<> channels(Bench& bench, int times) {
  for (int i = 0; i < times; ++i) {
    const bool sent = co_await bench.channel.send(i);
    const std::optional<int> got = co_await bench.channel.receive();
    if (!sent || got != i) throw std::runtime_error("the channel lost something");
    bench.stack.look();
  }
}
Task<> tokens(Bench& bench, int times) {
  for (int i = 0; i < times; ++i) {
    const StopToken token = co_await current_stop();
    if (token.stop_requested()) throw Cancelled();
    bench.stack.look();
  }
}
Task<> timeouts(Bench& bench, int times) {
  for (int i = 0; i < times; ++i) {
    co_await with_timeout(Seconds(1), ready(i));
    bench.stack.look();
  }
}
Task<> alls(Bench& bench, int times) {
  for (int i = 0; i < times; ++i) {
    co_await when_all(ready(i), bench.event.wait());
    bench.stack.look();
  }
}
Task<> anys(Bench& bench, int times) {
  for (int i = 0; i < times; ++i) {
    co_await when_any(ready(i), ready(2));
    bench.stack.look();
  }
}
Task<> shielded(Bench& bench, int times) {
  for (int i = 0; i < times; ++i) {
    co_await uncancelled(ready(i));
    bench.stack.look();
  }
}
Task<> nothing(Bench& bench) {
  bench.stack.look();
  co_return;
}
Task<> spawns(Bench& bench, int times) {
  Scope scope;
  for (int i = 0; i < times; ++i) {
    scope.spawn(nothing(bench));
    co_await scope.join();
  }
}

struct Wait {
  const char* name;
  Task<> (*repeat)(Bench&, int);
};
class ReadyAwaits : public ::testing::TestWithParam<Wait> {};

TEST_P(ReadyAwaits, use_the_stack_of_one_and_the_pool) {
  const base::BlockPoolScope blocks;
  ManualExecutor executor;
  Bench bench;
  bench.event.set();
  StartedTask<> first(GetParam().repeat(bench, 10));
  const std::size_t before = base::blocks_from_heap();
  StartedTask<> running(GetParam().repeat(bench, million));
  EXPECT_EQ(running.error(), "nothing");
  EXPECT_LT(bench.stack.used(), few_frames);
  EXPECT_LE(base::blocks_from_heap() - before, 1U);  // the frame of `running` besides that of `first`
}

INSTANTIATE_TEST_SUITE_P(Of, ReadyAwaits,
                         ::testing::Values(Wait{"Event", events}, Wait{"Channel", channels},
                                           Wait{"current_stop", tokens}, Wait{"with_timeout", timeouts},
                                           Wait{"when_all", alls}, Wait{"when_any", anys},
                                           Wait{"uncancelled", shielded}, Wait{"Scope", spawns}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(ReadyAwaits, of_offloaded_functions_on_no_executor_use_the_stack_of_one) {
  Stack stack;
  const auto work = [](Stack& on) -> Task<int> {
    int total = 0;
    for (int i = 0; i < million; ++i) {
      total += co_await offload([] { return 1; });
      on.look();
    }
    co_return total;
  };
  StartedTask<int> running(work(stack));
  EXPECT_EQ(running.result(), million);
  EXPECT_LT(stack.used(), few_frames);
}

TEST(ReadyAwaits, that_are_stopped_use_the_stack_of_one) {
  ManualExecutor executor;
  StopState stop;
  stop.stop();
  Bench bench;
  const auto work = [](Bench& with) -> Task<int> {
    int cancelled = 0;
    for (int i = 0; i < 20'000; ++i) {
      try {
        if (i % 2 == 0) co_await sleep_for(Seconds(1));
        co_await with.channel.receive();
      } catch (const Cancelled&) {
        ++cancelled;
      }
      with.stack.look();
    }
    co_return cancelled;
  };
  StartedTask<int> running(work(bench), &stop);
  EXPECT_EQ(running.result(), 20'000);
  EXPECT_LT(bench.stack.used(), few_frames);
}

TEST(WaitingAwaits, take_their_memory_from_the_pool_and_the_stack_of_one) {
  const base::BlockPoolScope blocks;
  ManualExecutor executor;
  ManualPool pool;
  executor.pool = &pool;
  Bench bench;
  const auto once = [](Bench& with) -> Task<> {
    co_await yield();
    co_await sleep_for(Milliseconds(1));
    co_await when_all(yield(), with_timeout(Seconds(1), sleep_for(Milliseconds(1))), with.channel.send(1));
    co_await when_any(with.channel.receive(), sleep_for(Seconds(5)));
    co_await offload([] {});
    with.stack.look();
  };
  const auto repeat = [&](int times) -> Task<> {
    for (int i = 0; i < times; ++i) co_await once(bench);
  };
  const auto finish = [&](StartedTask<>& running) {
    while (!running.ended()) {
      executor.advance(1);
      if (pool.waiting != 0) pool.run_one();
    }
  };
  StartedTask<> first(repeat(3));
  finish(first);
  const std::size_t before = base::blocks_from_heap();
  StartedTask<> running(repeat(10'000));
  finish(running);
  EXPECT_EQ(running.error(), "nothing");
  EXPECT_LE(base::blocks_from_heap() - before, 1U);
  EXPECT_LT(bench.stack.used(), few_frames);
}

}  // namespace
}  // namespace tern::coro
