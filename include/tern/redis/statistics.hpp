// RedisStatistics: what a client of Redis has done and does, in numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern {

// Of this process, since the Redis was made. The values are read one after another while it is used, so that they need
// not be of one moment.
struct RedisStatistics {
  std::size_t connections = 0;   // that are ready; each loop has up to one
  std::size_t unanswered = 0;    // commands without a reply, or that wait for a connection
  std::size_t queued_bytes = 0;  // of these, of max_queued of each loop

  std::uint64_t commands = 0;   // that have ended; several that are sent as one count as one
  std::uint64_t errors = 0;     // of these, that ended with a RedisError but Type
  std::uint64_t cancelled = 0;  // of these, whose coroutine was stopped
  std::uint64_t refused = 0;    // that were not queued: Redis is away, or there were too many
  std::uint64_t reconnects = 0;

  // Of the RedisSubscriptions that were made with it.
  std::size_t subscriptions = 0;      // that are subscribed now
  std::size_t unread_messages = 0;    // that have arrived, and were not read yet
  std::uint64_t messages = 0;         // that have arrived
  std::uint64_t resubscriptions = 0;  // after a lost connection; messages in between are lost

  constexpr RedisStatistics& operator+=(const RedisStatistics& other) noexcept {
    connections += other.connections;
    unanswered += other.unanswered;
    queued_bytes += other.queued_bytes;
    commands += other.commands;
    errors += other.errors;
    cancelled += other.cancelled;
    refused += other.refused;
    reconnects += other.reconnects;
    subscriptions += other.subscriptions;
    unread_messages += other.unread_messages;
    messages += other.messages;
    resubscriptions += other.resubscriptions;
    return *this;
  }
};

}  // namespace tern
