// What the copies of a Redis share: its options, and the connections of the loops.
#pragma once

#include "redis/tls.hpp"

#include <tern/redis/client.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tern::redis {

class LoopClient;

// Of all subscriptions of a client, on any loop.
struct SubscriptionCounters {
  std::atomic<std::size_t> subscribed = 0;
  std::atomic<std::size_t> unread = 0;
  std::atomic<std::uint64_t> messages = 0;
  std::atomic<std::uint64_t> resubscribed = 0;
};

class Client {
public:
  // `max_wait`: how long commands may wait in Redis; zero: such commands are refused.
  explicit Client(RedisOptions options, Milliseconds max_wait = Milliseconds(0));
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // A handle; with the last one, the connections of all loops end.
  void retain() noexcept { handles_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  // Of the calling thread's loop. Null, if there is no loop. Throws std::bad_alloc.
  LoopClient* of_this_loop();
  // On the loop of `ended`, or while that does not run. May destroy the client.
  void remove(LoopClient& ended) noexcept;
  // From any thread.
  RedisStatistics statistics() const;
  SubscriptionCounters& subscriptions() noexcept { return subscriptions_; }

  const RedisOptions& options() const noexcept { return options_; }
  // Null without TLS.
  const TlsContext* tls() const noexcept { return tls_.get(); }
  const std::string& name() const noexcept { return name_; }
  bool blocks() const noexcept { return max_wait_.count() != 0; }
  // Of a command, until its reply.
  Milliseconds reply_timeout() const noexcept { return options_.timeout + max_wait_; }

private:
  ~Client() = default;
  void end_loops() noexcept;
  void leave() noexcept;

  const RedisOptions options_;
  const Milliseconds max_wait_;
  const std::string name_;
  const std::unique_ptr<const TlsContext> tls_;
  SubscriptionCounters subscriptions_;
  std::atomic<std::size_t> handles_ = 1;
  std::atomic<std::size_t> owners_ = 1;  // loops, and one for all handles
  mutable std::mutex mutex_;             // guards what follows, not the objects, which belong to their loops
  std::vector<LoopClient*> loops_;
  RedisStatistics ended_;  // of loops that have ended
};

}  // namespace tern::redis
