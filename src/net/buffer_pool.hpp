// Large buffers for reuse: a fresh one costs page faults, about as much as filling it. The pool is bounded, and frees
// its buffers when none was taken for a second.
#pragma once

#include <tern/coro/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tern::net {

// Belongs to one loop.
class BufferPool final : private Timer {
public:
  static constexpr std::size_t min_buffer_size = 2 * 1024 * 1024;  // smaller ones are left to the allocator
  static constexpr std::size_t max_pooled_bytes = 64 * 1024 * 1024;

  explicit BufferPool(Timers& timers) noexcept : timers_(timers) {}
  ~BufferPool() { timers_.disarm(*this); }
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Sets the number of bytes that the pool holds at most; never more than `max_pooled_bytes`.
  void limit(std::size_t bytes) noexcept { limit_ = std::min(bytes, max_pooled_bytes); }

  // Adds the memory of `used` to the pool, or frees it.
  void give(std::string used) noexcept;
  // An empty string with a capacity between `size` and twice `size`, the smallest that fits. An empty string without
  // memory when there is none.
  std::string take(std::size_t size) noexcept;

  std::size_t pooled_bytes() const noexcept { return pooled_bytes_; }

private:
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "buffer pool"}; }

  Timers& timers_;
  std::vector<std::string> buffers_;
  std::size_t pooled_bytes_ = 0;
  std::size_t limit_ = max_pooled_bytes;
  bool taken_ = false;  // one, since the timer was armed
};

}  // namespace tern::net
