// Large strings that have been used, kept for a moment for those who need the like: fresh memory of the kernel's costs
// about as much as what is written to it. Bounded, and nothing once nobody has taken one for a second.
#pragma once

#include <tern/coro/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tern::net {

// Of one loop.
class SpareStrings final : private Timer {
public:
  static constexpr std::size_t least = 2 * 1024 * 1024;  // what is smaller is left to the allocator
  static constexpr std::size_t most = 64 * 1024 * 1024;  // bytes that are kept, all together

  explicit SpareStrings(Timers& timers) noexcept : timers_(timers) {}
  ~SpareStrings() { timers_.disarm(*this); }
  SpareStrings(const SpareStrings&) = delete;
  SpareStrings& operator=(const SpareStrings&) = delete;

  // Keeps no more than `bytes` from now on, and never more than `most`.
  void limit(std::size_t bytes) noexcept { limit_ = std::min(bytes, most); }

  // Keeps the memory of `used`, or frees it.
  void give(std::string used) noexcept;
  // An empty string that has room for `size` bytes and not for more than twice as many, of those kept the
  // smallest; one without memory where there is none.
  std::string take(std::size_t size) noexcept;

  std::size_t kept() const noexcept { return kept_; }

private:
  void on_timer() noexcept override;

  Timers& timers_;
  std::vector<std::string> strings_;
  std::size_t kept_ = 0;
  std::size_t limit_ = most;
  bool taken_ = false;  // one, since the timer was armed
};

}  // namespace tern::net
