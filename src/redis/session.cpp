#include "redis/session.hpp"

#include <hiredis/hiredis.h>

#include <utility>

namespace tern::redis {
namespace {

constexpr unsigned wanted_subscriptions = 2;

std::string_view text_of(const redisReply& reply) noexcept {
  return reply.str == nullptr ? std::string_view() : std::string_view(reply.str, static_cast<std::size_t>(reply.len));
}

}  // namespace

Session::Session(const RedisOptions& options, const std::string& address, std::string own_channel, Owner& owner)
    : options_(options),
      channel_(options.prefix + ":publications"),
      own_channel_(std::move(own_channel)),
      owner_(owner) {
  for (Connection* connection : {&listener_, &publisher_}) {
    options.unix_path.empty() ? connection->open(address, options.port) : connection->open_unix(options.unix_path);
  }
}

void Session::on_connected(Connection& connection) {
  if (options_.password.empty()) return enter(connection);
  if (options_.username.empty()) return connection.command({"AUTH", options_.password});
  connection.command({"AUTH", options_.username, options_.password});
}

// The connection may do what it is for.
void Session::enter(Connection& connection) {
  if (&connection == &listener_) {
    may_listen_ = true;
    listener_.subscribe(channel_, own_channel_);
  } else {
    may_publish_ = true;
    ping();  // so that a user who may not publish is found now
  }
}

void Session::on_reply(Connection& connection, const redisReply& reply) {
  if (!fault_.empty()) return;
  if (reply.type == REDIS_REPLY_ERROR) return lose(std::string(text_of(reply)));
  if (&connection == &listener_) return may_listen_ ? hear(reply) : enter(connection);
  may_publish_ ? take_answer() : enter(connection);
}

// (Servers of version 6 and earlier have no channel permissions; since then a user needs them for both channels.)
void Session::hear(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 3) return;
  const std::string_view kind = text_of(*reply.element[0]);
  heard_ = true;
  if (kind == "subscribe") {
    if (++subscriptions_ == wanted_subscriptions && answered_) begun_.set();
  } else if (kind == "message" && text_of(*reply.element[1]) == channel_) {
    owner_.on_envelope(text_of(*reply.element[2]));
  }
}

void Session::take_answer() {
  answered_ = true;
  const std::size_t bytes = sent_.front();
  sent_.pop_front();
  if (bytes != 0) {
    --unanswered_;
    unanswered_bytes_ -= bytes;
    owner_.on_published(bytes);
  }
  if (subscriptions_ == wanted_subscriptions) begun_.set();
}

void Session::publish(std::string_view envelope) {
  sent_.push_back(envelope.size());
  ++unanswered_;
  unanswered_bytes_ += envelope.size();
  publisher_.command({"PUBLISH", channel_, envelope});
}

void Session::ping() {
  heard_ = answered_ = false;
  sent_.push_back(0);
  publisher_.command({"PUBLISH", own_channel_, "ping"});
}

void Session::on_lost(Connection&, std::string_view why) {
  lose(std::string(why));
}

void Session::lose(std::string why) {
  if (!fault_.empty()) return;
  fault_ = std::move(why);
  lost_.set();
  begun_.set();
}

}  // namespace tern::redis
