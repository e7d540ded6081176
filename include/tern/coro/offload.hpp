// offload: runs blocking functions and computations on a thread pool; and the interface of the pool.
#pragma once

#include <tern/coro/waiter.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace tern {

// Thrown when a pool's queue is full, or the pool is shut down: a later attempt may succeed. An app responds with 503.
class Overloaded : public std::exception {
public:
  const char* what() const noexcept override { return "overloaded"; }
};

enum class Priority : std::uint8_t { High, Normal, Low, high = High, normal = Normal, low = Low };

// Work for a pool. Intrusive: submitting does not allocate.
class Job : public coro::Hook<Job> {
public:
  // Called on a thread of the pool; the pool does not access the job afterwards.
  virtual void run() noexcept = 0;
  // Called in place of run() if the pool discards a job before it has begun; the pool does not access it afterwards.
  virtual void drop() noexcept = 0;

  // Used by the pool that has the job.
  struct Place {
    Priority priority = Priority::Normal;
    std::uint64_t since = 0;   // when it was submitted, by the pool's clock
    std::uint64_t waited = 0;  // nanoseconds, until it began
  } place;

protected:
  Job() noexcept = default;
  ~Job() = default;
};

namespace coro {
template <class F>
class Offload;
}

// The interface of tern::ThreadPool. Its functions may be called from any thread.
class Offloader {
public:
  Offloader(const Offloader&) = delete;
  Offloader& operator=(const Offloader&) = delete;

  // Submits a job: either run() or drop() is called once. False if the queue is full.
  virtual bool submit(Priority priority, Job& job) noexcept = 0;

  // Withdraws a submitted job. True if it has not begun: neither run() nor drop() is called.
  virtual bool withdraw(Job& job) noexcept = 0;

  // What waits for its jobs wait for, as a literal; see coro::WaitLog.
  virtual const char* what() const noexcept { return "pool"; }

  // co_await pool.run(f): see offload().
  template <class F>
  coro::Offload<F> run(F&& f) {
    return coro::Offload<F>(this, Priority::Normal, std::forward<F>(f));
  }
  template <class F>
  coro::Offload<F> run(Priority priority, F&& f) {
    return coro::Offload<F>(this, priority, std::forward<F>(f));
  }

protected:
  Offloader() = default;
  ~Offloader() = default;
};

namespace coro {

// The wait for a job. Part of the waiting coroutine's frame; destroying the frame joins the job.
class JobWait : public Waiter, private Job {
protected:
  JobWait(Offloader* pool, Priority priority) noexcept : pool_(pool), priority_(priority) {}
  ~JobWait() = default;

  // Must be called by the derived class's destructor, while the members used by call() exist.
  void join_job() noexcept;
  // Throws Overloaded, Cancelled or std::logic_error if there is no result.
  void check() const;
  // Calls the function on a thread of the pool.
  virtual void call() noexcept = 0;

private:
  enum class End : std::uint8_t { Done, Refused, Dropped, NoPool };

  const char* what() const noexcept override { return what_; }
  bool ready() noexcept override;
  bool enter() noexcept override;
  bool leave() noexcept override;
  void on_turn() noexcept override;
  void run() noexcept override;
  void drop() noexcept override;

  Offloader* pool_;
  Priority priority_;
  const char* what_ = "pool";
  End end_ = End::Done;
  bool submitted_ = false;
};

template <class F>
class OffloadWait final : public JobWait {
public:
  using Result = std::invoke_result_t<F&>;

  OffloadWait(Offloader* pool, Priority priority, F&& f) : JobWait(pool, priority), f_(std::forward<F>(f)) {}
  ~OffloadWait() { join_job(); }

  Result await_resume() {
    check();
    if (error_) std::rethrow_exception(std::move(error_));
    if constexpr (!std::is_void_v<Result>) return std::move(*value_);
  }

private:
  struct Done {};

  void call() noexcept override {
    try {
      if constexpr (std::is_void_v<Result>) {
        f_();
      } else {
        value_.emplace(f_());
      }
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  F f_;  // a reference if F is one
  std::optional<std::conditional_t<std::is_void_v<Result>, Done, Result>> value_;
  std::exception_ptr error_;
};

// Before GCC 15, a lambda that is written within a co_await expression, and captures an object with a destructor, is
// destroyed twice. It cannot be distinguished from one that is moved there, so both are rejected.
template <class F>
concept SafelyAwaited =
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 15
    std::is_lvalue_reference_v<F> || std::is_trivially_destructible_v<F>;
#else
    true;
#endif

// The result of offload(): to be awaited once, or passed to when_all() and the like.
template <class F>
class [[nodiscard]] Offload {
public:
  static_assert(std::is_invocable_v<F&>, "offload() takes a function without parameters");
  static_assert(!std::is_reference_v<std::invoke_result_t<F&>>, "an offloaded function returns a value, no reference");
  static_assert(
      !requires(std::invoke_result_t<F&> result) { result.operator co_await(); },
      "offload() takes a function that blocks; a coroutine is awaited itself");
  static_assert(SafelyAwaited<F>,
                "this GCC destroys what such a lambda captures twice: give it a name, and offload(name)");

  Offload(Offloader* pool, Priority priority, F&& f) : pool_(pool), priority_(priority), f_(std::forward<F>(f)) {}

  OffloadWait<F> operator co_await() && { return OffloadWait<F>(pool_, priority_, std::forward<F>(f_)); }

private:
  Offloader* pool_;
  Priority priority_;
  F f_;
};

}  // namespace coro

// co_await tern::offload(f): calls f on the pool of the current loop, and resumes on the same loop with the result or
// exception of f. A named function is passed by reference, and must live until the await ends:
//
//   auto render = [rows = std::move(rows)] { return to_pdf(rows); };
//   auto pdf = co_await tern::offload(render);
//
// Throws Overloaded if the pool's queue is full. If the coroutine is stopped, a function that has not begun is
// withdrawn, and the await throws Cancelled; one that has begun is not interrupted, and the await returns its result.
// (A long computation can capture and check a StopToken: co_await tern::current_stop().) Destroying the frame waits for
// a function that has begun. On a thread without an executor, such as in a test without a server, f is called directly.
template <class F>
coro::Offload<F> offload(Priority priority, F&& f) {
  return coro::Offload<F>(nullptr, priority, std::forward<F>(f));
}
template <class F>
coro::Offload<F> offload(F&& f) {
  return offload(Priority::Normal, std::forward<F>(f));
}

}  // namespace tern
