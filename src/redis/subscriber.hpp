// Subscriber: a connection that is subscribed, and the messages that were not read yet.
//
// Life of a subscription: attempt() connects and authenticates, and sends SUBSCRIBE and PSUBSCRIBE. When Redis has
// confirmed each name, messages are queued until next() takes them. When the connection is lost, next() makes another.
#pragma once

#include "base/backoff.hpp"
#include "redis/client.hpp"
#include "redis/connection.hpp"

#include <tern/coro/event.hpp>
#include <tern/redis/subscription.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern::redis {

class Subscriber final : private Connection::Observer {
public:
  Subscriber(const Redis& redis, std::vector<std::string> channels, std::vector<std::string> patterns);
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  ~Subscriber();

  Task<> subscribe();
  Task<RedisMessage> next();

private:
  static constexpr std::size_t max_messages = 1024;

  void on_connected(Connection& connection) override;
  void on_reply(Connection& connection, const redisReply& reply) override;
  void on_lost(Connection& connection, std::string_view why) noexcept override;

  Task<std::string> attempt();
  Task<> wait();
  void begin_subscriptions();
  void on_message(const redisReply& reply);
  void refuse(std::string_view error);
  bool is_full() const noexcept;
  void set_subscribed(bool subscribed) noexcept;
  SubscriptionCounters& counters() const noexcept;

  const Redis redis_;
  const RedisOptions& options_;
  const std::vector<std::string> channels_;  // sorted
  const std::vector<std::string> patterns_;  // sorted
  base::Backoff backoff_{initial_backoff};

  std::deque<RedisMessage> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t confirmed_ = 0;    // of the names, on this connection
  bool authenticated_ = false;   // this connection
  bool failed_ = false;          // this connection
  bool subscribed_ = false;      // this connection, until it is lost
  bool has_subscribed_ = false;  // once
  bool alive_ = false;           // an answer since the last check
  std::string fault_;            // of the attempt
  std::string refusal_;          // an error of Redis that another attempt does not change
  Event settled_;                // the attempt has ended
  Event changed_;                // there is a message, or the connection is lost
  std::unique_ptr<Connection> connection_;
};

}  // namespace tern::redis
