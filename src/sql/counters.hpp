// Counters: the statements of a driver, counted from any thread.
#pragma once

#include <tern/coro/cancelled.hpp>
#include <tern/sql/statistics.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

namespace tern::sql {

class Counters {
public:
  // Calls f, which runs a statement to its end.
  template <class F>
  void count(F&& f) {
    count_failure(std::forward<F>(f));
    count_success();
  }
  // Calls f, which runs a part of a statement: it ends if f throws.
  template <class F>
  void count_failure(F&& f) {
    try {
      std::forward<F>(f)();
    } catch (const Cancelled&) {
      add(cancelled_);
      throw;
    } catch (...) {
      add(errors_);
      throw;
    }
  }
  void count_success() noexcept { add(successes_); }

  void read(Statistics& statistics) const noexcept {
    statistics.errors = errors_.load(std::memory_order_relaxed);
    statistics.cancelled = cancelled_.load(std::memory_order_relaxed);
    statistics.statements = successes_.load(std::memory_order_relaxed) + statistics.errors + statistics.cancelled;
  }

private:
  using Counter = std::atomic<std::uint64_t>;
  static void add(Counter& counter) noexcept { counter.fetch_add(1, std::memory_order_relaxed); }

  Counter successes_ = 0;
  Counter errors_ = 0;
  Counter cancelled_ = 0;
};

}  // namespace tern::sql
