// The thread pool: the round trip of one job while the caller sleeps, and the cost per job of a hundred submitted at
// once. Wall-clock time, since two threads take part.
#include <tern/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace {

using tern::ThreadPool;

tern::ThreadPoolOptions options() {
  tern::ThreadPoolOptions made;
  made.threads = 1;
  made.nice = 0;
  return made;
}

// A latch: wakes the waiter at zero.
class CountingJob final : public tern::Job {
public:
  void count_down(std::atomic<std::uint32_t>& left) { left_ = &left; }
  void run() noexcept override {
    if (left_->fetch_sub(1) == 1) left_->notify_one();
  }
  void drop() noexcept override {}

private:
  std::atomic<std::uint32_t>* left_ = nullptr;
};

void wait_for_none(const std::atomic<std::uint32_t>& left) {
  for (std::uint32_t seen = left.load(); seen != 0; seen = left.load()) left.wait(seen);
}

void jobs(benchmark::State& state, std::uint32_t at_once) {
  ThreadPool pool(options());
  std::atomic<std::uint32_t> left = 0;
  std::vector<CountingJob> batch(at_once);
  for (CountingJob& job : batch) job.count_down(left);
  std::uint64_t given = 0;
  for (auto _ : state) {
    left = at_once;
    for (CountingJob& job : batch) given += pool.submit(tern::Priority::Normal, job) ? 1 : 0;
    wait_for_none(left);
  }
  pool.shutdown(ThreadPool::Rest::Drain);
  const auto expected = static_cast<std::uint64_t>(state.iterations()) * at_once;
  if (given != expected || pool.counts().done != expected) state.SkipWithError("jobs were refused or lost");
  state.SetItemsProcessed(static_cast<std::int64_t>(expected));
}

void future(benchmark::State& state) {
  ThreadPool pool(options());
  int in = 0;
  int wrong = 0;
  for (auto _ : state) {
    const int out = pool.submit([&] { return in + 1; }).get();
    wrong += out == in + 1 ? 0 : 1;
    in = out;
  }
  if (wrong != 0) state.SkipWithError("wrong results");
}

BENCHMARK_CAPTURE(jobs, one, 1)->Name("one job, round trip")->UseRealTime();
BENCHMARK_CAPTURE(jobs, hundred, 100)->Name("a hundred jobs at once, per job")->UseRealTime();
BENCHMARK(future)->Name("a function with a future, round trip")->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
