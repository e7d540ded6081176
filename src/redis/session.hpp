// Two connections to Redis that are lost together: one subscribes, one publishes (a subscribed connection can do
// nothing else).
//
// Life of a session: both connect and, with a password, authenticate. The listener subscribes to the channel of the
// prefix, and to a channel of this server only, on which ping() checks the round trip. Then the session is ready, until
// a connection is lost or Redis returns an error.
#pragma once

#include "redis/connection.hpp"

#include <tern/coro/event.hpp>
#include <tern/redis/bus.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace tern::redis {

class Session final : private Connection::Observer {
public:
  // Called from within a connection: must not destroy the session. May throw std::bad_alloc: then the session is lost.
  class Observer {
  public:
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual void on_envelope(std::string_view bytes) = 0;
    // Redis has acknowledged an envelope of this size.
    virtual void on_published(std::size_t bytes) = 0;

  protected:
    Observer() = default;
    ~Observer() = default;
  };

  // Begins to connect to `address`, or to the options' Unix socket. The options, and `tls` unless it is null, outlive
  // the session.
  Session(const RedisOptions& options, const std::string& address, const TlsContext* tls, std::string own_channel,
          Observer& observer);

  // "no answer for 5.0 s", perhaps of the handshake.
  std::string no_answer(Milliseconds time) const { return publisher_.no_answer(time); }

  // Set when the session is ready or lost; and when it is lost.
  Event& settled() noexcept { return settled_; }
  Event& lost() noexcept { return lost_; }
  // Why it was lost; empty if it was not.
  const std::string& fault() const noexcept { return fault_; }

  // Without memory for what it needs, it is lost.
  void out_of_memory() noexcept { fail("no memory"); }

  // Only when ready. Throws std::bad_alloc, without effect.
  void publish(std::string_view envelope);
  void ping();
  // Whether both connections have received something since the last ping().
  bool alive() const noexcept { return listener_alive_ && publisher_alive_; }
  // Envelopes that Redis has not acknowledged, and their bytes.
  std::size_t unacknowledged() const noexcept { return unacknowledged_; }
  std::size_t unacknowledged_bytes() const noexcept { return unacknowledged_bytes_; }

private:
  void on_connected(Connection& connection) override;
  void on_reply(Connection& connection, const redisReply& reply) override;
  void on_lost(Connection& connection, std::string_view why) noexcept override;
  void begin_service(Connection& connection);
  void on_listener_reply(const redisReply& reply);
  void on_publisher_reply();
  void fail(std::string_view why) noexcept;

  const RedisOptions& options_;
  const std::string channel_;
  const std::string own_channel_;
  Observer& observer_;
  Event settled_;
  Event lost_;
  std::string fault_;
  unsigned subscriptions_ = 0;
  bool publisher_ready_ = false;  // connected and authenticated
  bool listener_ready_ = false;
  bool listener_alive_ = false;
  bool publisher_alive_ = false;
  std::deque<std::size_t> sent_;  // sizes of the envelopes in flight; 0: a ping
  std::size_t unacknowledged_ = 0;
  std::size_t unacknowledged_bytes_ = 0;
  Connection listener_{*this};
  Connection publisher_{*this};
};

}  // namespace tern::redis
