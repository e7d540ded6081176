// Whether something that works (a loop, the threads of a pool) is saturated, and how long its tasks take: what
// admission under load is decided by.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tern::coro {

// Times in nanoseconds of the steady clock. For one thread at a time.
class Saturation {
public:
  static constexpr std::uint64_t interval = 100'000'000;  // that a burst may last
  static constexpr std::uint64_t onset = 10'000'000;      // without rest, from which on waits are bounded
  static constexpr std::uint64_t onset_wait = 5'000'000;  // that is allowed then
  static constexpr std::uint64_t min_wait = 1'000'000;    // that is always allowed

  // `idle`: for how long it has had nothing to do, since any time. It is saturated after an interval with less than a
  // twentieth of that.
  void update(std::uint64_t now, std::uint64_t idle) noexcept {
    if (run_begin_ == 0 || has_rested(now - run_begin_, idle - idle_at_run_)) {
      run_begin_ = now;
      idle_at_run_ = idle;
    }
    if (begin_ != 0 && now - begin_ < interval) return;
    saturated_ = begin_ != 0 && !has_rested(now - begin_, idle - idle_at_begin_);
    begin_ = now;
    idle_at_begin_ = idle;
  }
  bool saturated() const noexcept { return saturated_; }

  // A task has taken so long.
  void count(std::uint64_t duration) noexcept { mean_ = mean_ == 0 ? duration : mean_ - mean_ / 16 + duration / 16; }
  // A moving mean.
  std::uint64_t mean() const noexcept { return mean_; }
  // How long a task may wait for its begin: as long as one takes, so that a task that is accepted under load takes
  // about twice to three times as long as without. While there is no lasting overload, as a burst may last; but for not
  // much longer than tasks take if there was no rest in the `onset` before `seen`, when the present tasks were first
  // seen: one burst, or one long task, is no overload, but what follows without rest may be the beginning of one.
  std::uint64_t allowed_wait(std::uint64_t seen) const noexcept {
    if (saturated_) return std::max(mean_, min_wait);
    const bool begins = run_begin_ != 0 && seen >= run_begin_ + onset;
    return begins ? std::min(interval, std::max(3 * mean_, onset_wait)) : interval;
  }

private:
  static bool has_rested(std::uint64_t time, std::uint64_t idle) noexcept { return idle * 20 >= time; }

  std::uint64_t begin_ = 0;
  std::uint64_t idle_at_begin_ = 0;
  std::uint64_t run_begin_ = 0;  // without rest since then
  std::uint64_t idle_at_run_ = 0;
  std::uint64_t mean_ = 0;
  bool saturated_ = false;
};

}  // namespace tern::coro
