#include "redis/session.hpp"

#include <tern/redis/client.hpp>

#include <hiredis/hiredis.h>

#include <new>
#include <utility>

namespace tern::redis {
namespace {

constexpr unsigned wanted_subscriptions = 2;

std::string_view text_of(const redisReply& reply) noexcept {
  return reply.str == nullptr ? std::string_view() : std::string_view(reply.str, static_cast<std::size_t>(reply.len));
}

}  // namespace

Session::Session(const RedisOptions& options, const std::string& address, const TlsContext* tls,
                 std::string own_channel, Observer& observer)
    : options_(options),
      channel_(options.prefix + ":publications"),
      own_channel_(std::move(own_channel)),
      observer_(observer) {
  for (Connection* connection : {&listener_, &publisher_}) connection->open(options, address, tls);
}

void Session::on_connected(Connection& connection) {
  if (options_.password.empty()) return begin_service(connection);
  if (options_.username.empty()) return connection.command({"AUTH", options_.password});
  connection.command({"AUTH", options_.username, options_.password});
}

// The connection is authenticated.
void Session::begin_service(Connection& connection) {
  if (&connection == &listener_) {
    listener_ready_ = true;
    listener_.subscribe(encode("SUBSCRIBE", channel_, own_channel_), 0);
  } else {
    publisher_ready_ = true;
    ping();  // detects a user without the permission to publish
  }
}

void Session::on_reply(Connection& connection, const redisReply& reply) {
  if (!fault_.empty()) return;
  if (reply.type == REDIS_REPLY_ERROR) return fail(text_of(reply));
  if (&connection == &listener_) return listener_ready_ ? on_listener_reply(reply) : begin_service(connection);
  publisher_ready_ ? on_publisher_reply() : begin_service(connection);
}

// (Servers up to version 6 have no channel permissions; later ones require them for both channels.)
void Session::on_listener_reply(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 3) return;
  const std::string_view kind = text_of(*reply.element[0]);
  listener_alive_ = true;
  if (kind == "subscribe") {
    if (++subscriptions_ == wanted_subscriptions && publisher_alive_) settled_.set();
  } else if (kind == "message" && text_of(*reply.element[1]) == channel_) {
    observer_.on_envelope(text_of(*reply.element[2]));
  }
}

void Session::on_publisher_reply() {
  publisher_alive_ = true;
  const std::size_t bytes = sent_.front();
  sent_.pop_front();
  if (bytes != 0) {
    --unacknowledged_;
    unacknowledged_bytes_ -= bytes;
    observer_.on_published(bytes);
  }
  if (subscriptions_ == wanted_subscriptions) settled_.set();
}

void Session::publish(std::string_view envelope) {
  sent_.push_back(envelope.size());
  ++unacknowledged_;
  unacknowledged_bytes_ += envelope.size();
  publisher_.command({"PUBLISH", channel_, envelope});
}

void Session::ping() {
  listener_alive_ = publisher_alive_ = false;
  sent_.push_back(0);
  publisher_.command({"PUBLISH", own_channel_, "ping"});
}

void Session::on_lost(Connection&, std::string_view why) noexcept {
  fail(why);
}

void Session::fail(std::string_view why) noexcept {
  if (!fault_.empty()) return;
  try {
    fault_ = why;
  } catch (const std::bad_alloc&) {
    fault_ = "no memory";  // short enough for no allocation
  }
  lost_.set();
  settled_.set();
}

}  // namespace tern::redis
