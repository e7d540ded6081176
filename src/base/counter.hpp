// Numbers that one thread changes and others may read.
#pragma once

#include <atomic>
#include <cstdint>

namespace tern::base {

class Counter {
public:
  void operator++() noexcept { *this += 1; }
  void operator+=(std::uint64_t more) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_ = 0;
};

// How many there are of something.
class Gauge {
public:
  void operator++() noexcept { *this += 1; }
  void operator--() noexcept { *this += -1; }
  void operator+=(std::int64_t change) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }
  std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::int64_t> value_ = 0;
};

}  // namespace tern::base
