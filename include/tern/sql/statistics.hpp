// Statistics: what a database has done and does, in numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::sql {

// How long calls have waited for a connection, as a histogram. A connection that was free counts as a wait, too.
struct WaitTimes {
  // Upper limits of the buckets, inclusive. The last bucket has no limit.
  static constexpr std::array<std::uint32_t, 14> bounds_microseconds = {
      50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 50'000, 100'000, 250'000, 1'000'000, 5'000'000};

  std::array<std::uint64_t, bounds_microseconds.size() + 1> counts{};  // of each bucket
  std::uint64_t total_microseconds = 0;

  constexpr void add(std::uint64_t microseconds) noexcept {
    std::size_t bucket = 0;
    while (bucket < bounds_microseconds.size() && microseconds > bounds_microseconds[bucket]) ++bucket;
    ++counts[bucket];
    total_microseconds += microseconds;
  }
  constexpr std::uint64_t count() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : counts) sum += each;
    return sum;
  }
  constexpr WaitTimes& operator+=(const WaitTimes& other) noexcept {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    total_microseconds += other.total_microseconds;
    return *this;
  }
};

// Of this process, since the database was opened. The values are read one after another while the database is used, so
// that they need not be of one moment.
struct Statistics {
  std::size_t connections = 0;  // open, in use or not
  std::size_t in_use = 0;       // by a statement, a transaction or a row stream
  std::size_t waiting = 0;      // calls that wait for a connection

  // Calls of query(), one(), execute(), script() and the like, and each() from its first row on, that have ended.
  // Begins, commits and rollbacks are not counted.
  std::uint64_t statements = 0;
  std::uint64_t errors = 0;      // of these, that threw anything but Cancelled
  std::uint64_t cancelled = 0;   // of these, that threw Cancelled
  std::uint64_t refused = 0;     // waits that ended with Overloaded
  std::uint64_t reconnects = 0;  // connections that replaced a lost one
  WaitTimes waits;               // that ended with a connection

  constexpr Statistics& operator+=(const Statistics& other) noexcept {
    connections += other.connections;
    in_use += other.in_use;
    waiting += other.waiting;
    statements += other.statements;
    errors += other.errors;
    cancelled += other.cancelled;
    refused += other.refused;
    reconnects += other.reconnects;
    waits += other.waits;
    return *this;
  }
};

}  // namespace tern::sql
