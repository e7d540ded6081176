#include "net/loop.hpp"

#include "net/test_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tern::net {
namespace {

struct TestTimer final : Timer {
  explicit TestTimer(std::function<void()> f) : action(std::move(f)) {}
  void on_timer() noexcept override { action(); }
  std::function<void()> action;
};

struct TestIterationEnd final : IterationEnd {
  explicit TestIterationEnd(std::function<void()> f) : action(std::move(f)) {}
  void on_iteration_end() noexcept override { action(); }
  std::function<void()> action;
};

struct TestAttachment final : Attachment {
  TestAttachment(const void* owner, std::vector<int>& order, int name) : Attachment(owner), ends(order), number(name) {}
  void on_executor_end() noexcept override { ends.push_back(number); }
  std::vector<int>& ends;
  int number;
};

TEST(Loop, attachments_are_found_by_their_owner_and_end_with_the_loop) {
  std::vector<int> ends;
  const int owners[3] = {};
  TestAttachment first(&owners[0], ends, 1);
  auto second = std::make_unique<TestAttachment>(&owners[1], ends, 2);
  TestAttachment third(&owners[2], ends, 3);
  {
    Loop loop;
    for (TestAttachment* each : {&first, second.get(), &third}) loop.attach(*each);
    EXPECT_EQ(loop.attached(&owners[1]), second.get());
    second.reset();
    EXPECT_EQ(loop.attached(&owners[1]), nullptr);
    EXPECT_EQ(loop.attached(&owners[0]), &first);
    EXPECT_EQ(loop.attached(&owners[2]), &third);
    EXPECT_TRUE(ends.empty());
  }
  EXPECT_EQ(ends, (std::vector<int>{3, 1}));
}

TEST(Loop, runs_posted_work_in_order_and_returns_after_stop) {
  Loop loop;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) loop.post([&order, i] { order.push_back(i); });
  loop.post([&] { loop.stop(); });
  loop.run();
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(Loop, never_runs_work_inside_the_call_that_posts_it) {
  Loop loop;
  bool inside = true;
  loop.post([&] {
    loop.post([&] {
      EXPECT_FALSE(inside);
      loop.stop();
    });
    inside = false;
  });
  loop.run();
}

TEST(Loop, is_current_while_it_runs) {
  Loop loop;
  EXPECT_EQ(Executor::current(), nullptr);
  loop.post([&] {
    EXPECT_EQ(Executor::current(), &loop);
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(Executor::current(), nullptr);
}

TEST(Loop, runs_work_posted_before_stop_and_destroys_later_work) {
  Loop loop;
  int runs = 0;
  const auto token = std::make_shared<int>(0);
  loop.post([&] { loop.stop(); });
  loop.post([&runs, token] {
    ++runs;  // in the queue before stop() was called
  });
  loop.post([&] { loop.post([&runs, token] { runs += 100; }); });
  loop.run();
  EXPECT_EQ(runs, 1);
  loop.post([&runs, token] { runs += 100; });
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ(runs, 1);
}

TEST(Loop, can_be_stopped_before_it_runs) {
  Loop loop;
  loop.stop();
  loop.run();
  loop.stop();  // has stopped already: does nothing to the next run
  bool ran = false;
  TestTimer timer([&] {
    ran = true;
    loop.stop();
  });
  loop.arm(timer, Milliseconds(1));
  loop.run();
  EXPECT_TRUE(ran);
}

TEST(Loop, can_be_run_again_in_another_thread) {
  Loop loop;
  int runs = 0;
  for (int i = 0; i < 3; ++i) {
    TestTimer timer([&] {
      loop.post([&] {
        ++runs;
        loop.stop();
      });
    });
    loop.arm(timer, Milliseconds(1));
    std::thread thread([&] { loop.run(); });
    thread.join();
  }
  EXPECT_EQ(runs, 3);
}

TEST(Loop, destroys_work_that_never_ran) {
  const auto token = std::make_shared<int>(0);
  {
    Loop loop;
    loop.post([token] {});
    EXPECT_EQ(token.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Loop, releases_each_work_before_the_next_one_runs) {
  Loop loop;
  const auto token = std::make_shared<int>(0);
  loop.post([token] {});
  loop.post([&] {
    EXPECT_EQ(token.use_count(), 1);
    loop.stop();
  });
  loop.run();
}

TEST(Loop, takes_posts_from_many_threads_each_in_order) {
  constexpr int threads = 4;
  constexpr int posts = 20'000;
  LoopThread server;
  std::vector<int> last(threads, -1);
  int wrong = 0;
  {
    std::vector<std::jthread> posters;
    for (int t = 0; t < threads; ++t) {
      posters.emplace_back([&, t] {
        for (int i = 0; i < posts; ++i) {
          server.loop.post([&, t, i] {
            int& before = last[static_cast<std::size_t>(t)];
            wrong += before + 1 == i ? 0 : 1;
            before = i;
          });
        }
      });
    }
  }
  server.on_loop([] {});
  server.stop();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(last, std::vector<int>(threads, posts - 1));
}

// post() may not have returned yet when the work has run; the loop's destructor waits for it.
TEST(Loop, may_be_destroyed_as_soon_as_what_was_posted_has_run) {
  constexpr int loops = 300;
  std::atomic<Loop*> given = nullptr;
  std::jthread poster([&given] {
    for (int i = 0; i < loops; ++i) {
      Loop* loop = nullptr;
      while ((loop = given.exchange(nullptr)) == nullptr) std::this_thread::yield();
      loop->post([loop] { loop->stop(); });
    }
  });
  for (int i = 0; i < loops; ++i) {
    Loop loop;
    given = &loop;
    loop.run();
  }
}

TEST(Loop, takes_or_destroys_what_is_posted_while_it_stops_and_runs_again) {
  constexpr std::size_t threads = 3;
  Loop loop;
  std::atomic<bool> over = false;
  std::vector<int> last(threads, -1);
  int wrong = 0;
  const auto token = std::make_shared<int>(0);
  {
    std::vector<std::jthread> posters;
    for (std::size_t t = 0; t < threads; ++t) {
      posters.emplace_back([&, t] {
        for (int i = 0; !over; ++i) {
          loop.post([&wrong, before = &last[t], i, token] { wrong += std::exchange(*before, i) < i ? 0 : 1; });
          if (i % 64 == 0) std::this_thread::yield();
        }
      });
    }
    for (int round = 0; round < 100; ++round) {
      TestTimer timer([&] { loop.stop(); });
      loop.arm(timer, Milliseconds(1));
      loop.run();
    }
    over = true;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_NE(last, std::vector<int>(threads, -1));
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Loop, wakes_up_for_posts_only_when_it_sleeps) {
  Loop loop;
  for (int i = 0; i < 1000; ++i) loop.post([] {});
  loop.post([&] {
    for (int i = 0; i < 1000; ++i) loop.post([] {});
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  EXPECT_EQ(loop.counters().wakes.value(), 0U);
  EXPECT_LE(loop.counters().iterations.value(), 3U);
}

TEST(Loop, hears_every_post_of_a_ping_pong_between_two_loops) {
  LoopThread a;
  LoopThread b;
  std::promise<void> done;
  std::function<void(int)> ping = [&](int left) {
    if (left == 0) return done.set_value();
    (left % 2 == 0 ? a : b).loop.post([&, left] { ping(left - 1); });
  };
  ping(20'000);
  EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST(Loop, lets_work_that_posts_itself_not_starve_timers) {
  Loop loop;
  bool over = false;
  std::function<void()> again = [&] {
    if (!over) loop.post([&] { again(); });
  };
  TestTimer timer([&] {
    over = true;
    loop.stop();
  });
  again();
  loop.arm(timer, Milliseconds(30));
  loop.run();
  EXPECT_TRUE(over);
}

// A loop that polls is not asleep: post() does not wake it, and its work must run all the same.
TEST(Loop, busy_polls_while_its_sleeps_are_short_and_misses_no_work) {
  Loop loop;
  loop.set_busy_poll(10'000);
  std::thread thread([&loop] { loop.run(); });
  const auto on_loop = [&loop](auto work) {
    std::packaged_task<std::uint64_t()> task(std::move(work));
    auto result = task.get_future();
    loop.post(std::move(task));
    return result.get();
  };
  constexpr int patience = 100'000;
  std::uint64_t polls = 0;
  for (int i = 0; polls < 100 && i < patience; ++i) {
    polls = on_loop([&loop] { return loop.counters().polls.value(); });
  }
  EXPECT_GE(polls, 100U);
  loop.stop();
  thread.join();
}

TEST(Loop, that_sleeps_for_long_does_not_busy_poll) {
  Loop loop;
  loop.set_busy_poll(1);
  TestTimer last([&] { loop.stop(); });
  TestTimer first([&] { loop.arm(last, Milliseconds(20)); });
  loop.arm(first, Milliseconds(20));
  loop.run();
  EXPECT_EQ(loop.counters().polls.value(), 0U);
}

TEST(Loop, calls_timers_in_order_and_not_early) {
  Loop loop;
  const std::uint64_t begin = loop.now();
  std::vector<int> order;
  TestTimer second([&] {
    order.push_back(2);
    EXPECT_GE(loop.now(), begin + 80);
    loop.stop();
  });
  TestTimer never([&] { order.push_back(9); });
  TestTimer first([&] {
    order.push_back(1);
    EXPECT_GE(loop.now(), begin + 20);
    loop.disarm(never);
  });
  loop.arm(second, Milliseconds(80));
  loop.arm(never, Milliseconds(60));
  loop.arm(first, Milliseconds(20));
  loop.run();
  EXPECT_EQ(order, (std::vector{1, 2}));
  EXPECT_LE(loop.counters().iterations.value(), 5U) << "the loop sleeps until a timer is due";
}

TEST(Loop, tells_the_second_before_anything_else) {
  Loop loop;
  std::int64_t told = 0;
  loop.every_second([&](std::int64_t second) { told = second; });
  loop.post([&] {
    EXPECT_NE(told, 0);
    loop.stop();
  });
  const auto before = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  loop.run();
  EXPECT_GE(told, before - 1);
  EXPECT_LE(told, before + 60);
}

TEST(Loop, tells_when_the_second_has_changed) {
  Loop loop;
  std::vector<std::int64_t> told;
  TestTimer timer([&] { loop.arm(timer, Milliseconds(50)); });
  loop.every_second([&](std::int64_t second) {
    told.push_back(second);
    if (told.size() == 3) loop.stop();
  });
  loop.arm(timer, Milliseconds(50));
  loop.run();
  loop.disarm(timer);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_LT(told[0], told[1]);
  EXPECT_LT(told[1], told[2]);
}

TEST(Loop, calls_at_the_end_of_the_round_once_for_many_wishes) {
  Loop loop;
  int calls = 0;
  bool posted_work_ran = false;
  TestIterationEnd iteration_end([&] {
    ++calls;
    EXPECT_TRUE(posted_work_ran);
  });
  loop.post([&] {
    loop.at_iteration_end(iteration_end);
    loop.at_iteration_end(iteration_end);
  });
  loop.post([&] {
    posted_work_ran = true;
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(calls, 1);
}

TEST(Loop, forgets_a_destroyed_iteration_end) {
  Loop loop;
  int calls = 0;
  auto a = std::make_unique<TestIterationEnd>([&] { ++calls; });
  auto c = std::make_unique<TestIterationEnd>([&] { ++calls; });
  TestIterationEnd b([&] {  // called second, and takes the third along
    ++calls;
    a.reset();
  });
  loop.post([&] {
    loop.at_iteration_end(*a);
    loop.at_iteration_end(b);
    loop.at_iteration_end(*c);
    c.reset();
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(calls, 1);
}

TEST(Loop, calls_in_the_next_round_what_is_wished_at_the_end_of_one) {
  Loop loop;
  int calls = 0;
  TestIterationEnd iteration_end([&] {
    if (++calls < 3) {
      loop.at_iteration_end(iteration_end);
    } else {
      loop.stop();
    }
  });
  loop.at_iteration_end(iteration_end);
  loop.run();
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace tern::net
