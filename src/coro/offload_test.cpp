// offload() with a pool under the test's control. With threads: net/thread_pool_test.cpp.
#include "coro/manual_executor.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tern::coro {
namespace {

class OffloadTest : public ::testing::Test {
protected:
  OffloadTest() { executor_.pool = &pool_; }
  ManualPool pool_{4};
  ManualExecutor executor_;
  StopState stop_;
};

TEST_F(OffloadTest, goes_on_with_the_result_on_its_executor) {
  const auto work = []() -> Task<int> {
    int base = 40;
    co_return co_await offload([&base] { return base + 2; });
  };
  StartedTask<int> running(work());
  EXPECT_EQ(executor_.outstanding_jobs(), 1U);
  pool_.run_one();
  EXPECT_FALSE(running.ended());
  executor_.run();
  EXPECT_EQ(running.result(), 42);
  EXPECT_EQ(executor_.outstanding_jobs(), 0U);
}

TEST_F(OffloadTest, carries_exceptions_nothing_and_what_only_moves) {
  const auto fail = []() -> Task<> { co_await offload([] { throw std::runtime_error("broken"); }); };
  const auto move = []() -> Task<std::unique_ptr<int>> {
    co_return co_await offload([] { return std::make_unique<int>(7); });
  };
  int calls = 0;
  const auto nothing = [](int& count) -> Task<> { co_await offload([&count] { ++count; }); };
  StartedTask<> failing(fail());
  StartedTask<std::unique_ptr<int>> moving(move());
  StartedTask<> calling(nothing(calls));
  while (pool_.waiting != 0) pool_.run_one();
  executor_.run();
  EXPECT_EQ(failing.error(), "broken");
  EXPECT_EQ(*moving.result(), 7);
  EXPECT_EQ(calling.error(), "nothing");
  EXPECT_EQ(calls, 1);
}

TEST_F(OffloadTest, refers_to_a_named_function_that_owns_something) {
  const auto work = [](std::vector<int> rows) -> Task<std::size_t> {
    auto count = [rows = std::move(rows), owned = std::make_unique<int>(1)]() mutable {
      owned.reset();
      return rows.size();
    };
    const std::size_t result = co_await offload(count);
    EXPECT_EQ(count(), result);
    co_return result;
  };
  StartedTask<std::size_t> running(work(std::vector<int>(100)));
  pool_.run_one();
  executor_.run();
  EXPECT_EQ(running.result(), 100U);
}

TEST_F(OffloadTest, passes_the_priority_on) {
  const auto work = [](Priority priority) -> Task<> { co_await offload(priority, [] {}); };
  for (const Priority priority : {Priority::High, Priority::Normal, Priority::Low}) {
    StartedTask<> running(work(priority));
    Job* job = pool_.take();
    EXPECT_EQ(job->place.priority, priority);
    job->run();
    executor_.run();
    EXPECT_TRUE(running.ended());
  }
}

TEST_F(OffloadTest, runs_on_a_pool_that_is_named) {
  ManualPool other;
  const auto work = [](ManualPool& pool) -> Task<int> { co_return co_await pool.run(Priority::Low, [] { return 1; }); };
  StartedTask<int> running(work(other));
  EXPECT_EQ(pool_.waiting, 0U);
  other.run_one();
  executor_.run();
  EXPECT_EQ(running.result(), 1);
}

TEST_F(OffloadTest, throws_overloaded_when_the_pool_is_full) {
  const auto work = []() -> Task<> { co_await offload([] {}); };
  std::vector<std::unique_ptr<StartedTask<>>> accepted;
  for (int i = 0; i < 4; ++i) accepted.push_back(std::make_unique<StartedTask<>>(work()));
  StartedTask<> refused(work());
  EXPECT_EQ(refused.error(), "overloaded");
  EXPECT_EQ(executor_.outstanding_jobs(), 4U);
}

TEST_F(OffloadTest, never_calls_what_was_stopped_while_it_waited) {
  bool called = false;
  const auto work = [](bool& set) -> Task<> { co_await offload([&set] { set = true; }); };
  StartedTask<> running(work(called), &stop_);
  stop_.stop();
  EXPECT_EQ(pool_.waiting, 0U);  // its place is free at once
  executor_.run();
  EXPECT_EQ(running.error(), "cancelled");
  EXPECT_FALSE(called);
}

TEST_F(OffloadTest, waits_for_what_has_begun_and_has_its_result) {
  const auto work = []() -> Task<int> { co_return co_await offload([] { return 1; }); };
  StartedTask<int> running(work(), &stop_);
  Job* begun = pool_.take();
  stop_.stop();
  executor_.run();
  EXPECT_FALSE(running.ended());
  begun->run();
  executor_.run();
  EXPECT_EQ(running.result(), 1);
}

TEST_F(OffloadTest, that_is_stopped_when_it_is_back_has_its_result) {
  const auto work = []() -> Task<int> { co_return co_await offload([] { return 1; }); };
  StartedTask<int> running(work(), &stop_);
  pool_.run_one();
  stop_.stop();
  executor_.run();
  EXPECT_EQ(running.result(), 1);
}

TEST_F(OffloadTest, ends_with_cancelled_when_the_pool_gives_it_up) {
  const auto work = []() -> Task<> { co_await offload([] {}); };
  StartedTask<> running(work());
  pool_.take()->drop();
  executor_.run();
  EXPECT_EQ(running.error(), "cancelled");
}

TEST_F(OffloadTest, that_is_destroyed_while_it_waits_is_taken_back) {
  const auto work = []() -> Task<> { co_await offload([] {}); };
  StartedTask<> running(work());
  running.destroy();
  EXPECT_EQ(pool_.waiting, 0U);
  EXPECT_EQ(executor_.outstanding_jobs(), 0U);
}

TEST_F(OffloadTest, that_is_destroyed_while_it_runs_is_waited_for) {
  std::string value = "alive";
  bool finished = false;
  const auto work = [](std::string& text, bool& end) -> Task<> {
    const std::string own = text + " in the frame, and long enough for the heap";
    co_await offload([&own, &end] { end = own.starts_with("alive"); });
  };
  StartedTask<> running(work(value, finished));
  Job* begun = pool_.take();
  std::thread thread([begun] { begun->run(); });
  running.destroy();
  EXPECT_TRUE(finished);
  thread.join();
  EXPECT_EQ(executor_.outstanding_jobs(), 0U);
  executor_.run();  // without work
}

TEST_F(OffloadTest, is_an_error_on_an_executor_that_has_no_pool) {
  executor_.pool = nullptr;
  const auto work = []() -> Task<> { co_await offload([] {}); };
  EXPECT_EQ(StartedTask<>(work()).error(), "a function is offloaded on a loop that has no pool");
}

TEST_F(OffloadTest, goes_together_with_the_others) {
  const auto work = []() -> Task<int> {
    const auto one = [] { return 1; };
    const auto two = [] { return 2; };
    const auto [a, b] = co_await when_all(offload(one), offload(Priority::High, two));
    const int c = co_await with_timeout(Seconds(1), offload([] { return 3; }));
    co_return a + b + c;
  };
  StartedTask<int> running(work());
  while (pool_.waiting != 0) {
    pool_.run_one();
    executor_.run();
  }
  EXPECT_EQ(running.result(), 6);
  EXPECT_EQ(executor_.timers_armed(), 0U);
}

TEST_F(OffloadTest, that_runs_out_of_time_in_the_queue_never_begins) {
  const auto work = []() -> Task<int> { co_return co_await with_timeout(Milliseconds(5), offload([] { return 3; })); };
  StartedTask<int> running(work());
  executor_.advance(5);
  EXPECT_EQ(running.error(), "timed out");
  EXPECT_EQ(pool_.waiting, 0U);
}

template <class F>
concept Offloadable = SafelyAwaited<F>;
struct Owner {
  std::string text;
  void operator()() const {}
};
#if !defined(__clang__) && __GNUC__ < 15
static_assert(!Offloadable<Owner>, "would be destroyed twice");
#endif
static_assert(Offloadable<Owner&>);

}  // namespace
}  // namespace tern::coro
