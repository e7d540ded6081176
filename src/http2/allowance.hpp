// Counting what a client may do only so often: a bucket of tokens, refilled over time.
#pragma once

#include "http2/limits.hpp"

#include <algorithm>
#include <cstdint>

namespace tern::http2 {

class Allowance {
public:
  explicit Allowance(const Rate& rate) noexcept : rate_(&rate), milli_(std::uint64_t{rate.burst} * 1000) {}

  // Takes one. False when none is left. `now` is in milliseconds, and never goes back.
  bool take(std::uint64_t now) noexcept {
    if (refilled_ == 0) refilled_ = now;
    if (milli_ < 1000) refill(now);
    if (milli_ < 1000) return false;
    milli_ -= 1000;
    return true;
  }
  // Earns `count` more; what exceeds the burst is lost.
  void earn(std::uint32_t count) noexcept {
    milli_ = std::min(milli_ + std::uint64_t{count} * 1000, std::uint64_t{rate_->burst} * 1000);
  }

private:
  // Tokens are counted in thousandths, so that a millisecond brings `per_second` of these. They are only
  // brought when the others have run out.
  void refill(std::uint64_t now) noexcept {
    milli_ = std::min(milli_ + (now - refilled_) * rate_->per_second, std::uint64_t{rate_->burst} * 1000);
    refilled_ = now;
  }

  const Rate* rate_;
  std::uint64_t milli_;
  std::uint64_t refilled_ = 0;  // when; 0: not begun
};

}  // namespace tern::http2
