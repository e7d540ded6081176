// The bytes that the contents of a server's requests and answers hold together, and their limit.
//
// Counted are request contents that are collected, and answers that wait for clients to read them. Beyond the limit a
// request is answered with 503, and so is one with a large answer; beyond half of it, answers have to be read within a
// minute, so that the slowest readers are closed first. After a burst, the memory is returned to the system: malloc
// would keep it.
#pragma once

#include <tern/coro/offload.hpp>

#include <atomic>
#include <cstddef>

namespace tern::exchange {

// Thread-safe.
class MemoryBudget final : private Job {
public:
  static constexpr std::size_t burst = 64 * 1024 * 1024;  // bytes; less is not worth returning

  explicit MemoryBudget(std::size_t limit) noexcept : limit_(limit) {}
  ~MemoryBudget() = default;  // after the pool passed to trim() is gone

  // False, and nothing is counted, if it would exceed the limit.
  [[nodiscard]] bool take(std::size_t bytes) noexcept;
  // Also beyond the limit: for existing contents.
  void add(std::size_t bytes) noexcept;
  void give_back(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  void set_limit(std::size_t limit) noexcept { limit_.store(limit, std::memory_order_relaxed); }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  bool has_room_for(std::size_t bytes) const noexcept {
    const std::size_t most = limit();
    return bytes <= most && used() <= most - bytes;
  }
  bool is_tight() const noexcept { return used() > limit() / 2; }

  // Whether a burst has been counted since the last trim().
  bool had_burst() const noexcept { return had_burst_.load(std::memory_order_relaxed); }
  // Whether that burst is over.
  bool burst_is_over() const noexcept { return used() < burst / 2; }
  // Has a thread of the pool return malloc's unused memory to the system. Does nothing if that is in progress.
  void trim(Offloader& pool) noexcept;

  std::size_t trims() const noexcept { return trims_.load(); }  // for tests

private:
  void run() noexcept override;
  void drop() noexcept override { trimming_.store(false); }
  void note(std::size_t used) noexcept {
    if (used >= burst && !had_burst()) had_burst_.store(true, std::memory_order_relaxed);
  }

  std::atomic<std::size_t> limit_;
  std::atomic<std::size_t> used_ = 0;
  std::atomic<bool> had_burst_ = false;
  std::atomic<bool> trimming_ = false;
  std::atomic<std::size_t> trims_ = 0;
};

// The share of the budget that the answers of one connection hold.
class HeldBytes {
public:
  explicit HeldBytes(MemoryBudget& budget) noexcept : budget_(budget) {}
  ~HeldBytes() { set(0); }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;

  void set(std::size_t bytes) noexcept {
    if (bytes > bytes_) budget_.add(bytes - bytes_);
    if (bytes < bytes_) budget_.give_back(bytes_ - bytes);
    bytes_ = bytes;
  }

private:
  MemoryBudget& budget_;
  std::size_t bytes_ = 0;
};

}  // namespace tern::exchange
