// Coroutines on a real loop: offload() to a real pool, timers, stops, and how all of that ends.
#include "net/loop.hpp"

#include <tern/async.hpp>
#include <tern/thread_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tern::net {
namespace {

using Rest = ThreadPool::Rest;

ThreadPoolOptions pool_options(unsigned threads, std::size_t queue = 1024) {
  ThreadPoolOptions made;
  made.threads = threads;
  made.queue = queue;
  return made;
}

// Runs `task` on `loop`, which stops when it has ended.
template <class T>
T run(Loop& loop, Task<T> task) {
  const auto end = [](void* context) { static_cast<Loop*>(context)->stop(); };
  loop.post([&] {
    if (task.start(end, &loop)) loop.stop();
  });
  loop.run();
  return task.result();
}

TEST(Waiting, sleeps_on_the_loop) {
  Loop loop;
  const auto work = [](Loop& on) -> Task<std::uint64_t> {
    const std::uint64_t before = on.now();
    co_await sleep_for(Milliseconds(20));
    co_return on.now() - before;
  };
  EXPECT_GE(run(loop, work(loop)), 20U);
}

TEST(Waiting, yields_to_posted_work) {
  Loop loop;
  const auto work = [](Loop& on) -> Task<bool> {
    bool posted = false;
    on.post([&posted] { posted = true; });
    co_await yield();
    co_await yield();
    co_return posted;
  };
  EXPECT_TRUE(run(loop, work(loop)));
}

TEST(Waiting, goes_on_when_another_thread_has_an_event_set) {
  Loop loop;
  Event event;
  const auto work = [](Event& on) -> Task<> { co_await on; };
  std::jthread other([&] { loop.post([&event] { event.set(); }); });
  run(loop, work(event));
}

TEST(Waiting, runs_out_of_time) {
  Loop loop;
  Event never;
  const auto work = [](Event& on) -> Task<> { co_await with_timeout(Milliseconds(20), on.wait()); };
  EXPECT_THROW(run(loop, work(never)), TimedOut);
}

TEST(Waiting, goes_on_in_the_next_run_of_a_loop_that_was_stopped) {
  Loop loop;
  Event event;
  bool ended = false;
  const auto work = [](Event& on, bool& set) -> Task<> {
    co_await on;
    set = true;
  };
  Task<> task = work(event, ended);
  const auto end = [](void* context) { static_cast<Loop*>(context)->stop(); };
  loop.post([&] {
    EXPECT_FALSE(task.start(end, &loop));
    loop.stop();
    event.set();  // the turn is asked for when posts are no longer taken
  });
  loop.run();
  EXPECT_FALSE(ended);
  loop.run();
  EXPECT_TRUE(ended);
}

TEST(Offload, calls_the_function_elsewhere_and_comes_back) {
  ThreadPool pool(pool_options(1));
  Loop loop;
  loop.set_offloader(&pool);
  const auto work = [](Loop& on) -> Task<bool> {
    const auto here = std::this_thread::get_id();
    const auto there = co_await offload([] { return std::this_thread::get_id(); });
    co_return here != there&& here == std::this_thread::get_id() && Executor::current() == &on;
  };
  EXPECT_TRUE(run(loop, work(loop)));
}

// What one of many requests does; returns how it ended.
enum class End : std::size_t { Done, Stopped, Refused, Failed };
Task<End> request(int number) {
  const std::string own = "held by the frame, on the heap: " + std::to_string(number);
  try {
    const auto look = [&own] {
      if (own.ends_with("77")) throw std::runtime_error("seventy-seven");
      return own.size();
    };
    const auto priority = static_cast<Priority>(number % 3);
    if (co_await offload(priority, look) != own.size()) co_return End::Failed;
    co_await yield();
    const auto [first, second] = co_await when_all(offload(look), offload(Priority::High, look));
    co_return first == second ? End::Done : End::Failed;
  } catch (const Cancelled&) {
    co_return End::Stopped;
  } catch (const Overloaded&) {
    co_return End::Refused;
  } catch (const std::runtime_error&) {
    co_return own.ends_with("77") ? End::Done : End::Failed;
  }
}

// Thousands of requests on one loop, of which some are stopped at any moment.
struct Crowd {
  Crowd(ThreadPool& pool, unsigned seed, int count_) : random(seed), count(count_) { loop.set_offloader(&pool); }

  Task<> one(int number) { ++ends[static_cast<std::size_t>(co_await request(number))]; }
  Task<> stopper() {
    while (scope.running() > 1) {
      if (!stops.empty()) stops[random() % stops.size()]->stop();
      co_await yield();
    }
  }
  Task<> all() {
    for (int i = 0; i < count; ++i) {
      stops.push_back(std::make_unique<StopState>());
      Task<> task = one(i);
      task.set_stop(stops.back().get());
      scope.spawn(std::move(task));
      if (i % 50 == 0) co_await yield();
    }
    scope.spawn(stopper());
    co_await scope.join();
  }
  void run_all() { run(loop, all()); }

  Loop loop;
  std::minstd_rand random;
  int count;
  std::vector<std::unique_ptr<StopState>> stops;
  Scope scope;
  std::array<int, 4> ends{};
};

TEST(Offload, serves_thousands_from_several_loops_that_are_stopped_at_any_moment) {
  ThreadPool pool(pool_options(2, 300));
  std::vector<std::unique_ptr<Crowd>> crowds;
  for (unsigned i = 0; i < 2; ++i) crowds.push_back(std::make_unique<Crowd>(pool, i + 1, 3000));
  {
    std::vector<std::jthread> threads;
    for (const auto& crowd : crowds) threads.emplace_back([&crowd] { crowd->run_all(); });
  }
  for (const auto& crowd : crowds) {
    EXPECT_EQ(crowd->loop.outstanding_jobs(), 0U);
    EXPECT_EQ(crowd->ends[static_cast<std::size_t>(End::Failed)], 0);
    EXPECT_EQ(crowd->ends[0] + crowd->ends[1] + crowd->ends[2], 3000);
  }
  Crowd behind(pool, 0, 0);
  EXPECT_EQ(run(behind.loop, request(1)), End::Done) << "who comes behind them is served";
  pool.shutdown(Rest::Drain);
  EXPECT_EQ(pool.counts().queued, 0U);
}

TEST(Offload, ends_with_cancelled_when_the_pool_is_discarded_under_a_running_loop) {
  for (unsigned round = 0; round < 20; ++round) {
    ThreadPool pool(pool_options(1, 10'000));
    Crowd crowd(pool, round, 500);
    std::latch started(1);
    crowd.loop.post([&started] { started.count_down(); });
    std::jthread serves([&crowd] { crowd.run_all(); });
    started.wait();
    pool.shutdown(Rest::Discard);
    serves.join();
    EXPECT_EQ(crowd.ends[static_cast<std::size_t>(End::Failed)], 0);
    EXPECT_EQ(crowd.ends[0] + crowd.ends[1] + crowd.ends[2], 500);
  }
}

TEST(Offload, is_joined_by_frames_that_are_destroyed_with_their_loop) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(pool_options(2));
    std::atomic<int> wrong = 0;
    const auto work = [](std::atomic<int>& faults, int number) -> Task<> {
      const std::string own(100, static_cast<char>('a' + number % 20));
      co_await offload([&own, &faults] {
        for (const char c : own) {
          if (c != own[0]) ++faults;
        }
      });
    };
    Loop loop;
    loop.set_offloader(&pool);
    std::vector<Task<>> tasks;
    loop.post([&] {
      const auto nothing = [](void*) {};
      for (int i = 0; i < 20; ++i) {
        tasks.push_back(work(wrong, i));
        EXPECT_FALSE(tasks.back().start(nothing, nullptr));
      }
      if (round % 2 == 0) tasks.clear();
      loop.stop();
    });
    loop.run();
    tasks.clear();
    EXPECT_EQ(loop.outstanding_jobs(), 0U);
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Offload, that_comes_back_to_a_stopped_loop_goes_on_in_its_next_run) {
  ThreadPool pool(pool_options(1));
  Loop loop;
  loop.set_offloader(&pool);
  std::latch open(1);
  bool ended = false;
  const auto work = [](std::latch& gate, bool& set) -> Task<> {
    co_await offload([&gate] { gate.wait(); });
    set = true;
  };
  Task<> task = work(open, ended);
  const auto end = [](void* context) { static_cast<Loop*>(context)->stop(); };
  loop.post([&] {
    EXPECT_FALSE(task.start(end, &loop));
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(loop.outstanding_jobs(), 1U);
  open.count_down();
  pool.shutdown(Rest::Drain);
  EXPECT_FALSE(ended);
  loop.run();
  EXPECT_TRUE(ended);
  EXPECT_EQ(loop.outstanding_jobs(), 0U);
}

}  // namespace
}  // namespace tern::net
