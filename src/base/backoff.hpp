// Pauses between attempts, which double with each failure, with jitter, so that loops and servers that failed together
// do not try again together.
#pragma once

#include <tern/base/duration.hpp>

#include <algorithm>
#include <cstdint>
#include <random>

namespace tern::base {

class Backoff {
public:
  explicit Backoff(Milliseconds first) : first_(first), random_(std::random_device()()) {}

  // After a failure. Of the pause, which is at most `longest`, half is random.
  Milliseconds next(Milliseconds longest) {
    const auto pause = std::min(first_.count() << std::min(failures_++, max_doublings), longest.count());
    std::uniform_int_distribution<std::int64_t> jitter(pause / 2, pause);
    return Milliseconds(jitter(random_));
  }
  // After a success.
  void reset() noexcept { failures_ = 0; }
  std::minstd_rand& random() noexcept { return random_; }

private:
  static constexpr unsigned max_doublings = 16;
  Milliseconds first_;
  std::minstd_rand random_;
  unsigned failures_ = 0;  // consecutive ones
};

}  // namespace tern::base
