// offload: functions that block or compute, on the threads of a pool; and the interface of such a pool.
#pragma once

#include <tern/coro/waiter.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace tern {

// Thrown when a pool has no place left, or is shut down: later it may. An app answers it with 503.
class Overloaded : public std::exception {
public:
  const char* what() const noexcept override { return "overloaded"; }
};

enum class Priority : std::uint8_t { High, Normal, Low, high = High, normal = Normal, low = Low };

// Work for a pool. Intrusive: giving it away allocates nothing.
class Job : public coro::Hook<Job> {
public:
  // On a thread of the pool; the last that the pool does with the job.
  virtual void run() noexcept = 0;
  // Instead of run(), when the pool gives up what has not begun; also the last.
  virtual void drop() noexcept = 0;

  // Belongs to the pool that has the job.
  struct Place {
    Priority priority = Priority::Normal;
  } place;

protected:
  Job() noexcept = default;
  ~Job() = default;
};

namespace coro {
template <class F>
class Offload;
}

// Threads that take jobs: tern::ThreadPool. Its functions may be called from any thread.
class Offloader {
public:
  Offloader(const Offloader&) = delete;
  Offloader& operator=(const Offloader&) = delete;

  // Takes the job, of which then either run() or drop() is called, once. False when there is no room.
  virtual bool submit(Priority priority, Job& job) noexcept = 0;

  // Takes a job back that has been submitted. True when it has not begun: nothing is called any more.
  virtual bool withdraw(Job& job) noexcept = 0;

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

// A wait for a job. It is part of the waiting coroutine's frame, and therefore joined when that is destroyed.
class JobWait : public Waiter, private Job {
protected:
  JobWait(Offloader* pool, Priority priority) noexcept : pool_(pool), priority_(priority) {}
  ~JobWait() = default;

  // The derived class calls it in its destructor, while what call() uses is there.
  void settle() noexcept;
  // Throws Overloaded, Cancelled or std::logic_error when there is no result.
  void check() const;
  // Calls the function. On a thread of the pool.
  virtual void call() noexcept = 0;

private:
  enum class End : std::uint8_t { Done, Refused, Dropped, NoPool };

  bool ready() noexcept override;
  bool enter() noexcept override;
  bool leave() noexcept override;
  void on_turn() noexcept override;
  void run() noexcept override;
  void drop() noexcept override;

  Offloader* pool_;
  Priority priority_;
  End end_ = End::Done;
  bool out_ = false;
};

template <class F>
class OffloadWait final : public JobWait {
public:
  using Result = std::invoke_result_t<F&>;

  OffloadWait(Offloader* pool, Priority priority, F&& f) : JobWait(pool, priority), f_(std::forward<F>(f)) {}
  ~OffloadWait() { settle(); }

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

  F f_;  // a reference when F is one
  std::optional<std::conditional_t<std::is_void_v<Result>, Done, Result>> value_;
  std::exception_ptr error_;
};

// Before GCC 15, a lambda that is written inside of a co_await expression and captures something with a destructor is
// destroyed twice. It cannot be told from one that is moved there, so both are refused.
template <class F>
concept SafelyAwaited =
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 15
    std::is_lvalue_reference_v<F> || std::is_trivially_destructible_v<F>;
#else
    true;
#endif

// What offload() returns: to be awaited once, or given to when_all() and its like.
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

// co_await tern::offload(f): calls f on the pool of the loop that runs this, and goes on here, on the same loop, with
// what f returned or threw. A named function is referred to, not copied, and must live as long as the await:
//
//   auto render = [rows = std::move(rows)] { return to_pdf(rows); };
//   auto pdf = co_await tern::offload(render);
//
// Throws Overloaded when the pool is full. When the coroutine is stopped, a function that has not begun never will, and
// the await ends with Cancelled; one that has begun is not interrupted, and the await ends with it, result and all.
// (One that computes for long can look at a StopToken that it captures: co_await tern::current_stop().) A frame that is
// destroyed meanwhile waits for it too. On a thread without an executor, such as in a test without a server, f is
// called on the spot.
template <class F>
coro::Offload<F> offload(Priority priority, F&& f) {
  return coro::Offload<F>(nullptr, priority, std::forward<F>(f));
}
template <class F>
coro::Offload<F> offload(F&& f) {
  return offload(Priority::Normal, std::forward<F>(f));
}

}  // namespace tern
