// The numbers of one loop's connections: written by the loop, read by any thread.
#pragma once

#include <tern/sql/statistics.hpp>

#include <array>
#include <atomic>
#include <cstdint>

namespace tern::postgres {

class LoopStatistics {
public:
  using Number = std::atomic<std::uint64_t>;

  Number connections = 0;
  Number in_use = 0;
  Number waiting = 0;
  Number refused = 0;
  Number reconnects = 0;

  // Only by the loop's thread, so that no other write is lost.
  static void add(Number& number, std::uint64_t count = 1) noexcept {
    number.store(number.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  static void set(Number& number, std::uint64_t value) noexcept { number.store(value, std::memory_order_relaxed); }

  void add_wait(std::uint64_t milliseconds) noexcept {
    constexpr auto& bounds = sql::WaitTimes::bounds_microseconds;
    std::size_t bucket = 0;
    while (bucket < bounds.size() && milliseconds * 1000 > bounds[bucket]) ++bucket;
    add(waits_[bucket]);
    if (milliseconds != 0) add(waited_microseconds_, milliseconds * 1000);
  }

  void read(sql::Statistics& statistics) const noexcept {
    const auto load = [](const Number& number) { return number.load(std::memory_order_relaxed); };
    statistics.connections += load(connections);
    statistics.in_use += load(in_use);
    statistics.waiting += load(waiting);
    statistics.refused += load(refused);
    statistics.reconnects += load(reconnects);
    for (std::size_t i = 0; i < waits_.size(); ++i) statistics.waits.counts[i] += load(waits_[i]);
    statistics.waits.total_microseconds += load(waited_microseconds_);
  }

private:
  std::array<Number, sql::WaitTimes::bounds_microseconds.size() + 1> waits_{};
  Number waited_microseconds_ = 0;
};

}  // namespace tern::postgres
