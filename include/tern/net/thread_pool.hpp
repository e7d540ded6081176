// ThreadPool: threads for what blocks or computes, with priorities and a bounded queue. Usable without a loop.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/function.hpp>
#include <tern/coro/offload.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <string>
#include <type_traits>
#include <utility>

namespace tern {

struct ThreadPoolOptions {
  unsigned threads = 0;            // 0: one for each processor that this process may run on
  std::size_t queue = 1024;        // jobs of each priority that may wait for a thread; at least one
  int nice = 10;                   // added to the process's, so that loops get the processor first; 0 to 19
  std::string name = "tern-pool";  // of the threads, as ps and top show them; a number follows
  // Gets what posted functions throw, on the thread that ran them. Without it, such an exception ends the process.
  base::Function<void(std::exception_ptr)> on_error = {};
};

// Its functions may be called from any thread, by jobs too, but for shutdown() and the destructor.
//
// Threads take what waits in rounds: up to 16 jobs of high priority, then up to 4 of normal and 1 of low; a priority
// that has nothing waiting leaves its share to the others, and within one it is first in, first out. So low jobs are
// slow under load, but not starved.
class ThreadPool final : public Offloader {
public:
  // Throws std::system_error when there are no more threads to be had.
  explicit ThreadPool(ThreadPoolOptions options = {});
  ~ThreadPool();  // shutdown(Rest::Drain)

  // Calls f on one of the threads, and gives what it returns or throws to the future. Throws Overloaded when too many
  // wait or the pool is shut down. When the pool gives the function up, the future throws std::future_error. Not for
  // loops, which get() would hold up: they have co_await pool.run(f).
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

  // Calls f on one of the threads; nobody waits for it. False when it was refused.
  [[nodiscard]] bool post(Priority priority, base::Function<void()> f);
  [[nodiscard]] bool post(base::Function<void()> f) { return post(Priority::Normal, std::move(f)); }

  bool submit(Priority priority, Job& job) noexcept override;
  bool withdraw(Job& job) noexcept override;

  // Takes no more jobs, has those that wait done or gives them up, and returns when all threads have ended. Whoever
  // awaits a job that is given up gets Cancelled. May be called again, and while another call waits: Discard then
  // shortens a Drain. Loops that wait for jobs must still live; the pool outlives their waits.
  enum class Rest : bool { Drain, Discard };
  void shutdown(Rest rest);

  // What it has done so far, and has to do. A job counts as running until a moment after its result is there.
  struct Counts {
    std::size_t queued = 0;      // wait for a thread
    std::size_t running = 0;     // on a thread
    std::uint64_t done = 0;      // have been run
    std::uint64_t rejected = 0;  // were refused
    std::uint64_t dropped = 0;   // were taken back or given up before they began
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
