// A token bucket: limits the rate of something.
#pragma once

#include "http2/limits.hpp"

#include <algorithm>
#include <cstdint>

namespace tern::http2 {

class TokenBucket {
public:
  explicit TokenBucket(const Rate& rate) noexcept : rate_(&rate), milli_(std::uint64_t{rate.burst} * 1000) {}

  // Takes one token. False if there is none. `now` is in milliseconds on a steady clock.
  bool take(std::uint64_t now) noexcept {
    if (refilled_ == 0) refilled_ = now;
    if (milli_ < 1000) refill(now);
    if (milli_ < 1000) return false;
    milli_ -= 1000;
    return true;
  }
  // Adds `count` tokens, up to the burst.
  void add(std::uint32_t count) noexcept {
    milli_ = std::min(milli_ + std::uint64_t{count} * 1000, std::uint64_t{rate_->burst} * 1000);
  }

private:
  // Tokens are counted in thousandths: a millisecond adds `per_second` of them. The bucket is refilled only when it is
  // empty.
  void refill(std::uint64_t now) noexcept {
    milli_ = std::min(milli_ + (now - refilled_) * rate_->per_second, std::uint64_t{rate_->burst} * 1000);
    refilled_ = now;
  }

  const Rate* rate_;
  std::uint64_t milli_;
  std::uint64_t refilled_ = 0;  // 0: never
};

}  // namespace tern::http2
