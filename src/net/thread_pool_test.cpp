#include <tern/thread_pool.hpp>

#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tern::net {
namespace {

using Rest = ThreadPool::Rest;

ThreadPoolOptions options(unsigned threads, std::size_t queue = 1024) {
  ThreadPoolOptions made;
  made.threads = threads;
  made.queue = queue;
  return made;
}

// Keeps a thread of a pool until it is opened.
class Blocker {
public:
  explicit Blocker(ThreadPool& pool, Priority priority = Priority::High) {
    EXPECT_TRUE(pool.post(priority, [this] {
      begun_.count_down();
      open_.wait();
    }));
    begun_.wait();
  }
  void open() { open_.count_down(); }

private:
  std::latch begun_{1};
  std::latch open_{1};
};

TEST(ThreadPool, gives_results_and_exceptions_to_futures) {
  ThreadPool pool(options(2));
  auto number = pool.submit([] { return 42; });
  auto moving = pool.submit(Priority::High, [owned = std::make_unique<int>(7)]() mutable { return std::move(owned); });
  auto nothing = pool.submit(Priority::Low, [] {});
  auto broken = pool.submit([]() -> int { throw std::runtime_error("broken"); });
  EXPECT_EQ(number.get(), 42);
  EXPECT_EQ(*moving.get(), 7);
  nothing.get();
  EXPECT_THROW((void)broken.get(), std::runtime_error);
  pool.shutdown(Rest::Drain);
  const ThreadPool::Counts counts = pool.counts();
  EXPECT_EQ(counts.done, 4U);
  EXPECT_EQ(counts.queued + counts.running + counts.rejected + counts.dropped, 0U);
}

TEST(ThreadPool, has_a_thread_for_each_processor_by_default) {
  EXPECT_GE(ThreadPool().threads(), 1U);
  EXPECT_EQ(ThreadPool(options(3)).threads(), 3U);
}

TEST(ThreadPool, takes_sixteen_high_four_normal_and_one_low_in_a_round) {
  ThreadPool pool(options(1));
  Blocker blocker(pool);  // the first high one of its round
  std::string order;
  const auto add = [&](Priority priority, char letter, int times) {
    for (int i = 0; i < times; ++i) EXPECT_TRUE(pool.post(priority, [&order, letter] { order += letter; }));
  };
  add(Priority::Low, 'l', 5);
  add(Priority::Normal, 'n', 10);
  add(Priority::High, 'h', 40);
  EXPECT_EQ(pool.counts().queued, 55U);
  EXPECT_EQ(pool.counts().running, 1U);
  blocker.open();
  pool.shutdown(Rest::Drain);
  EXPECT_EQ(order, std::string(15, 'h') + "nnnnl" + std::string(16, 'h') + "nnnnl" + std::string(9, 'h') + "nnlll");
}

TEST(ThreadPool, does_not_starve_low_ones_by_an_endless_stream_of_high_ones) {
  ThreadPool pool(options(1));
  struct Stream {
    ThreadPool& pool;
    int high = 0;
    bool low = false;
    void next() {
      ++high;
      if (low) return;
      EXPECT_TRUE(pool.post(Priority::High, [this] { next(); }));
    }
  };
  Stream stream{pool};
  Blocker blocker(pool);
  EXPECT_TRUE(pool.post(Priority::High, [&stream] { stream.next(); }));
  EXPECT_TRUE(pool.post(Priority::Low, [&stream] { stream.low = true; }));
  blocker.open();
  while (pool.counts().done < 2 || pool.counts().queued + pool.counts().running != 0) std::this_thread::yield();
  pool.shutdown(Rest::Drain);
  EXPECT_LE(stream.high, 17);
}

TEST(ThreadPool, keeps_the_order_within_a_priority) {
  ThreadPool pool(options(1));
  std::vector<int> order;
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(pool.post([&order, i] { order.push_back(i); }));
  pool.shutdown(Rest::Drain);
  ASSERT_EQ(order.size(), 500U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(ThreadPool, refuses_what_does_not_fit_but_for_each_priority_by_itself) {
  ThreadPool pool(options(1, 2));
  Blocker blocker(pool);
  EXPECT_TRUE(pool.post([] {}));
  auto second = pool.submit([] { return 2; });
  EXPECT_FALSE(pool.post([] {}));
  EXPECT_THROW(static_cast<void>(pool.submit([] {})), Overloaded);
  EXPECT_TRUE(pool.post(Priority::High, [] {}));
  EXPECT_TRUE(pool.post(Priority::Low, [] {}));
  EXPECT_EQ(pool.counts().rejected, 2U);
  blocker.open();
  EXPECT_EQ(second.get(), 2);
  pool.shutdown(Rest::Drain);
  EXPECT_EQ(pool.counts().done, 5U);
}

TEST(ThreadPool, takes_nothing_after_its_shutdown) {
  ThreadPool pool(options(1));
  pool.shutdown(Rest::Drain);
  EXPECT_FALSE(pool.post([] {}));
  EXPECT_THROW(static_cast<void>(pool.submit([] {})), Overloaded);
  pool.shutdown(Rest::Discard);  // once more
}

TEST(ThreadPool, drains_everything_when_it_dies) {
  std::atomic<int> done = 0;
  {
    ThreadPool pool(options(2));
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(pool.post([&done] { ++done; }));
  }
  EXPECT_EQ(done, 1000);
}

TEST(ThreadPool, drops_waiting_jobs_with_discard) {
  ThreadPool pool(options(1));
  Blocker blocker(pool);
  bool called = false;
  auto future = pool.submit([&called] { called = true; });
  EXPECT_TRUE(pool.post([&called] { called = true; }));
  std::thread discards([&pool] { pool.shutdown(Rest::Discard); });
  EXPECT_THROW(future.get(), std::future_error);
  blocker.open();
  discards.join();
  EXPECT_FALSE(called);
  EXPECT_EQ(pool.counts().dropped, 2U);
  EXPECT_EQ(pool.counts().done, 1U);
}

TEST(ThreadPool, shortens_a_drain_by_a_later_discard) {
  ThreadPool pool(options(1));
  Blocker blocker(pool);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(pool.post([] { FAIL(); }));
  std::thread drains([&pool] { pool.shutdown(Rest::Drain); });
  std::thread discards([&pool] { pool.shutdown(Rest::Discard); });
  while (pool.counts().queued != 0) std::this_thread::yield();
  blocker.open();
  drains.join();
  discards.join();
  EXPECT_EQ(pool.counts().dropped, 10U);
}

TEST(ThreadPool, drops_what_is_withdrawn_before_it_begins) {
  struct Counting final : Job {
    void run() noexcept override { ++runs; }
    void drop() noexcept override { ++drops; }
    std::atomic<int> runs = 0;
    int drops = 0;
  };
  ThreadPool pool(options(1, 1));
  Blocker blocker(pool);
  Counting job;
  EXPECT_TRUE(pool.submit(Priority::Normal, job));
  EXPECT_TRUE(pool.withdraw(job));
  EXPECT_FALSE(pool.withdraw(job));
  EXPECT_TRUE(pool.submit(Priority::Normal, job));  // its place is free again
  blocker.open();
  pool.shutdown(Rest::Drain);
  EXPECT_FALSE(pool.withdraw(job));
  EXPECT_EQ(job.runs, 1);
  EXPECT_EQ(job.drops, 0);
  EXPECT_EQ(pool.counts().dropped, 1U);
}

TEST(ThreadPool, gives_what_posted_functions_throw_to_its_callback) {
  std::atomic<int> errors = 0;
  {
    ThreadPoolOptions with_callback = options(2);
    with_callback.on_error = [&errors](std::exception_ptr) { ++errors; };
    ThreadPool pool(std::move(with_callback));
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(pool.post([] { throw std::runtime_error("lost"); }));
  }
  EXPECT_EQ(errors, 10);
}

TEST(ThreadPool, runs_named_threads_behind_the_others_and_without_signals) {
  ThreadPoolOptions named = options(1);
  named.name = "a name that is too long";
  named.nice = 3;
  ThreadPool pool(std::move(named));
  const int own = getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)));
  pool.submit([own] {
        std::array<char, 16> name{};
        pthread_getname_np(pthread_self(), name.data(), name.size());
        EXPECT_STREQ(name.data(), "a name that i/0");
        EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid))), std::min(own + 3, 19));
        sigset_t blocked;
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
      })
      .get();
  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid))), own);
}

TEST(ThreadPool, takes_jobs_from_many_threads_and_from_its_jobs) {
  constexpr int senders = 4;
  constexpr int each = 2000;
  std::atomic<int> done = 0;
  ThreadPool pool(options(3, senders * each));
  {
    std::vector<std::jthread> threads;
    for (int sender = 0; sender < senders; ++sender) {
      threads.emplace_back([&pool, &done, sender] {
        for (int i = 0; i < each; ++i) {
          const auto priority = static_cast<Priority>((sender + i) % 3);
          EXPECT_TRUE(pool.post(priority, [&pool, &done, i] {
            ++done;
            if (i % 2 != 0) return;
            EXPECT_TRUE(pool.post([&done] { ++done; }));
          }));
        }
      });
    }
  }
  while (done != senders * each * 3 / 2) std::this_thread::yield();
  pool.shutdown(Rest::Drain);
  EXPECT_EQ(pool.counts().done, static_cast<std::uint64_t>(senders * each * 3 / 2));
}

TEST(ThreadPool, accounts_for_every_job_when_it_is_discarded_under_load) {
  for (int round = 0; round < 20; ++round) {
    ThreadPool pool(options(2, 64));
    std::atomic<std::uint64_t> refused = 0;
    std::atomic<std::uint64_t> called = 0;
    std::latch ready(3);
    std::vector<std::jthread> threads;
    for (int sender = 0; sender < 2; ++sender) {
      threads.emplace_back([&] {
        ready.arrive_and_wait();
        for (int i = 0; i < 1000; ++i) {
          if (!pool.post([&called] { ++called; })) ++refused;
        }
      });
    }
    ready.arrive_and_wait();
    pool.shutdown(Rest::Discard);
    threads.clear();
    const ThreadPool::Counts counts = pool.counts();
    EXPECT_EQ(counts.done, called);
    EXPECT_EQ(counts.rejected, refused);
    EXPECT_EQ(counts.done + counts.dropped + counts.rejected, 2000U);
    EXPECT_EQ(counts.queued + counts.running, 0U);
  }
}

}  // namespace
}  // namespace tern::net
