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
  static constexpr std::uint64_t min_wait = 1'000'000;    // that is always allowed

  // `idle`: for how long it has had nothing to do, since any time. It is saturated after an interval with less than a
  // twentieth of that.
  void update(std::uint64_t now, std::uint64_t idle) noexcept {
    if (begin_ != 0 && now - begin_ < interval) return;
    saturated_ = begin_ != 0 && (idle - idle_at_begin_) * 20 < now - begin_;
    begin_ = now;
    idle_at_begin_ = idle;
  }
  bool saturated() const noexcept { return saturated_; }

  // A task has taken so long.
  void count(std::uint64_t duration) noexcept { mean_ = mean_ == 0 ? duration : mean_ - mean_ / 16 + duration / 16; }
  // A moving mean.
  std::uint64_t mean() const noexcept { return mean_; }
  // How long a task may wait for its begin: as long as one takes, or while there is no lasting overload, as a burst may
  // last. So a task that is accepted under load takes about twice to three times as long as without.
  std::uint64_t allowed_wait() const noexcept { return saturated_ ? std::max(mean_, min_wait) : interval; }

private:
  std::uint64_t begin_ = 0;
  std::uint64_t idle_at_begin_ = 0;
  std::uint64_t mean_ = 0;
  bool saturated_ = false;
};

}  // namespace tern::coro
