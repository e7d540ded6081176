// The numbers of one loop's client: written by the loop, read by any thread.
#pragma once

#include <tern/redis/statistics.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tern::redis {

class LoopStatistics {
public:
  using Number = std::atomic<std::uint64_t>;

  Number connections = 0;
  Number unanswered = 0;
  Number queued_bytes = 0;
  Number successes = 0;
  Number errors = 0;
  Number cancelled = 0;
  Number refused = 0;
  Number reconnects = 0;

  // Only by the loop's thread, so that no other write is lost.
  static void add(Number& number) noexcept {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  static void set(Number& number, std::uint64_t value) noexcept { number.store(value, std::memory_order_relaxed); }

  RedisStatistics read() const noexcept {
    const auto load = [](const Number& number) { return number.load(std::memory_order_relaxed); };
    RedisStatistics read;
    read.connections = static_cast<std::size_t>(load(connections));
    read.unanswered = static_cast<std::size_t>(load(unanswered));
    read.queued_bytes = static_cast<std::size_t>(load(queued_bytes));
    read.errors = load(errors);
    read.cancelled = load(cancelled);
    read.commands = load(successes) + read.errors + read.cancelled;
    read.refused = load(refused);
    read.reconnects = load(reconnects);
    return read;
  }
};

}  // namespace tern::redis
