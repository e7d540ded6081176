// ThreadPool: threads for blocking functions and computations, with priorities and a bounded queue. Usable without a
// loop.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/function.hpp>
#include <tern/coro/offload.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <string>
#include <type_traits>
#include <utility>

namespace tern {

struct ThreadPoolOptions {
  unsigned threads = 0;      // 0: one per processor that this process may use
  std::size_t queue = 1024;  // jobs that may wait, per priority; at least one
  int nice = 10;             // added to the process's nice value, so that loops take precedence; 0 to 19
  // Refuses jobs that would wait too long, as if the queue were full, except those of high priority: while the threads
  // have no rest, longer than a job takes on average; otherwise, longer than 100 ms.
  bool sheds_load = false;
  std::string name = "tern-pool";  // thread names in ps and top, with a number appended
  // Gets exceptions of posted functions, on the thread that ran them. Without it, such an exception ends the process.
  base::Function<void(std::exception_ptr)> on_error = {};
};

// Its functions may be called from any thread, also by jobs, except shutdown() and the destructor.
//
// Threads take waiting jobs in rounds: up to 16 of high priority, then up to 4 of normal and 1 of low priority. A
// priority without waiting jobs leaves its share to the others; within one, the order is first in, first out. Low jobs
// are slow under load, but not starved.
class [[gnu::visibility("default")]] ThreadPool final : public Offloader {
public:
  // Throws std::system_error if threads cannot be created.
  explicit ThreadPool(ThreadPoolOptions options = {});
  ~ThreadPool();  // shutdown(Rest::Drain)

  // Calls f on one of the threads; the future gets its result or exception. Throws Overloaded if the queue is full or
  // the pool is shut down. If the pool discards the function, the future throws std::future_error. Not for loops, which
  // get() would block: use co_await pool.run(f).
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  std::future<std::invoke_result_t<std::decay_t<F>&>> submit(Priority priority, F&& f) {
    auto* job = new FutureJob<std::decay_t<F>>(std::forward<F>(f));
    auto future = job->future();
    if (!submit(priority, static_cast<Job&>(*job))) {
      delete job;
      throw Overloaded();
    }
    return future;
  }
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  auto submit(F&& f) {
    return submit(Priority::Normal, std::forward<F>(f));
  }

  // Calls f on one of the threads, without a result. False if it was rejected.
  [[nodiscard]] bool post(Priority priority, base::Function<void()> f);
  [[nodiscard]] bool post(base::Function<void()> f) { return post(Priority::Normal, std::move(f)); }

  bool submit(Priority priority, Job& job) noexcept override;
  bool withdraw(Job& job) noexcept override;

  // Accepts no more jobs, runs or discards the waiting ones, and returns when all threads have ended. The await of a
  // discarded job throws Cancelled. May be called again, also during another call: Discard then shortens a Drain. Loops
  // that wait for jobs must still exist; the pool must outlive their waits.
  enum class Rest : bool { Drain, Discard };
  void shutdown(Rest rest);

  // Statistics. A job counts as running until shortly after its result is available.
  struct Counts {
    std::size_t queued = 0;      // waiting for a thread
    std::size_t running = 0;     // on a thread
    std::uint64_t done = 0;      // completed
    std::uint64_t rejected = 0;  // not accepted
    std::uint64_t shed = 0;      // of these, because they would have waited too long
    std::uint64_t dropped = 0;   // withdrawn or discarded before they began
    // How long jobs have waited for a thread: in total, and how many at most so long (and the rest).
    static constexpr std::array<std::uint64_t, 8> wait_bounds = {
        1'000'000, 5'000'000, 25'000'000, 100'000'000, 250'000'000, 500'000'000, 1'000'000'000, 5'000'000'000};
    std::uint64_t wait_nanoseconds = 0;
    std::array<std::uint64_t, wait_bounds.size() + 1> waits = {};
  };
  Counts counts() const;
  unsigned threads() const noexcept;

private:
  class Core;

  template <class F>
  class FutureJob final : public Job {
  public:
    using Result = std::invoke_result_t<F&>;

    template <class G>
    explicit FutureJob(G&& f) : f_(std::forward<G>(f)) {}
    std::future<Result> future() { return promise_.get_future(); }
    void run() noexcept override {
      try {
        if constexpr (std::is_void_v<Result>) {
          f_();
          promise_.set_value();
        } else {
          promise_.set_value(f_());
        }
      } catch (...) {
        promise_.set_exception(std::current_exception());
      }
      delete this;
    }
    void drop() noexcept override { delete this; }

  private:
    ~FutureJob() = default;
    friend class ThreadPool;
    F f_;
    std::promise<Result> promise_;
  };

  base::Box<Core> core_;
};

}  // namespace tern
