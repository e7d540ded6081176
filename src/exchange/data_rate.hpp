// The rate at which a peer sends content or reads an answer, checked periodically.
#pragma once

#include <tern/base/duration.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tern::exchange {

// The minimum rate of a peer.
struct MinDataRate {
  std::size_t bytes_per_second;  // 0: no minimum
  Milliseconds period;

  // Between two checks; zero: none.
  Milliseconds time_to_next() const noexcept { return bytes_per_second == 0 ? Milliseconds(0) : period; }
  // Whether so many bytes in a period are enough.
  bool is_met_by(std::uint64_t bytes) const noexcept {
    return bytes * 1000 >= bytes_per_second * static_cast<std::uint64_t>(period.count());
  }
};

// A count of bytes, and when it last changed. Times are the loop's, in milliseconds.
class Progress {
public:
  void start(std::uint64_t count, std::uint64_t now) noexcept {
    count_ = count;
    changed_ = now;
  }
  // The count has become `count`, and never falls. Returns the bytes since the last check.
  std::uint64_t advance_to(std::uint64_t count, std::uint64_t now) noexcept {
    const std::uint64_t bytes = count - std::exchange(count_, count);
    if (bytes != 0) changed_ = now;
    return bytes;
  }
  // Of bytes that remain, `count` are left. Returns how many fewer these are; 0 where there are more.
  std::uint64_t fall_to(std::uint64_t count, std::uint64_t now) noexcept {
    const std::uint64_t before = std::exchange(count_, count);
    if (before <= count) return 0;
    changed_ = now;
    return before - count;
  }
  // Whether nothing has changed for this time. Zero means no limit.
  bool has_stalled(Milliseconds patience, std::uint64_t now) const noexcept {
    return patience.count() != 0 && now - changed_ >= static_cast<std::uint64_t>(patience.count());
  }

private:
  std::uint64_t count_ = 0;
  std::uint64_t changed_ = 0;
};

}  // namespace tern::exchange
