// Two connections to Redis that are lost together: one listens, one publishes (a connection that has subscribed may do
// nothing else).
//
// Life of a session: both connect and, with a password, authenticate; the listener subscribes to the channel of the
// prefix, and to one of this server alone, on which ping() shows that the way there and back is open. Then it is ready,
// until either connection is lost or Redis refuses something.
#pragma once

#include "redis/connection.hpp"

#include <tern/coro/event.hpp>
#include <tern/redis/bus.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace tern::redis {

class Session final : private Connection::Owner {
public:
  // Told from within hiredis: must not destroy the session.
  class Owner {
  public:
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    virtual void on_envelope(std::string_view bytes) = 0;
    // Redis has taken an envelope of so many bytes.
    virtual void on_published(std::size_t bytes) = 0;

  protected:
    Owner() = default;
    ~Owner() = default;
  };

  // Begins to connect, to `address` or the options' Unix socket. The options outlive it.
  Session(const RedisOptions& options, const std::string& address, std::string own_channel, Owner& owner);

  // Set when it is ready or was lost; and when it was lost.
  Event& begun() noexcept { return begun_; }
  Event& lost() noexcept { return lost_; }
  // Why it was lost; empty: it was not.
  const std::string& fault() const noexcept { return fault_; }

  // When it is ready.
  void publish(std::string_view envelope);
  void ping();
  // Whether something has come by both connections since the last ping().
  bool alive() const noexcept { return heard_ && answered_; }
  // Envelopes that Redis has not said to have taken, and their bytes.
  std::size_t unanswered() const noexcept { return unanswered_; }
  std::size_t unanswered_bytes() const noexcept { return unanswered_bytes_; }

private:
  void on_connected(Connection& connection) override;
  void on_reply(Connection& connection, const redisReply& reply) override;
  void on_lost(Connection& connection, std::string_view why) override;
  void enter(Connection& connection);
  void hear(const redisReply& reply);
  void take_answer();
  void lose(std::string why);

  const RedisOptions& options_;
  const std::string channel_;
  const std::string own_channel_;
  Owner& owner_;
  Event begun_;
  Event lost_;
  std::string fault_;
  unsigned subscriptions_ = 0;
  bool may_publish_ = false;  // connected, and authenticated
  bool may_listen_ = false;
  bool heard_ = false;
  bool answered_ = false;
  std::deque<std::size_t> sent_;  // bytes of what the publisher has been given; 0: a ping
  std::size_t unanswered_ = 0;
  std::size_t unanswered_bytes_ = 0;
  Connection listener_{*this};
  Connection publisher_{*this};
};

}  // namespace tern::redis
