#include "redis/subscriber.hpp"

#include "redis/address.hpp"

#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>

#include <hiredis/hiredis.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>

namespace tern {
namespace redis {
namespace {

constexpr std::size_t message_overhead = 128;  // bytes of a queued message, in addition to its own

std::string_view string_of(const redisReply* reply) noexcept {
  return reply->str == nullptr ? std::string_view() : std::string_view(reply->str, reply->len);
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

// An error that the next attempt would get again: of the user, the password or the permissions.
bool is_final(std::string_view error) noexcept {
  const auto is = [error](std::string_view code) { return error.starts_with(code); };
  return is("NOPERM") || is("NOAUTH") || is("WRONGPASS") || is("ERR invalid password") || is("ERR AUTH") ||
         is("ERR Client sent AUTH");
}

}  // namespace

Subscriber::Subscriber(const Redis& redis, std::vector<std::string> channels, std::vector<std::string> patterns)
    : redis_(redis),
      options_(redis_.options()),
      channels_(sorted(std::move(channels))),
      patterns_(sorted(std::move(patterns))) {
  if (channels_.empty() && patterns_.empty()) {
    throw std::invalid_argument("a RedisSubscription has a channel or a pattern");
  }
}

Subscriber::~Subscriber() {
  set_subscribed(false);
  for (const RedisMessage& message : queue_) {
    if (!message.missed) --counters().unread;
  }
}

SubscriptionCounters& Subscriber::counters() const noexcept {
  return redis_.client_->subscriptions();
}

void Subscriber::set_subscribed(bool subscribed) noexcept {
  if (std::exchange(subscribed_, subscribed) == subscribed) return;
  subscribed ? ++counters().subscribed : --counters().subscribed;
}

// --- Connecting

Task<std::string> Subscriber::attempt() {
  const Addresses addresses = co_await find_addresses(options_);
  if (!addresses) co_return addresses.error();
  std::string fault = "the name has no address";
  for (const std::string& address : *addresses) {
    settled_.reset();
    fault_.clear();
    confirmed_ = 0;
    authenticated_ = failed_ = false;
    Connection::Observer& observer = *this;
    connection_ = std::make_unique<Connection>(observer);
    connection_->open(options_, address, redis_.client_->tls());
    bool in_time = true;
    try {
      co_await with_timeout(options_.timeout, settled_.wait());
    } catch (const TimedOut&) {
      in_time = false;
    }
    set_subscribed(in_time && !failed_);
    if (subscribed_) co_return std::string();
    fault = in_time ? fault_ : connection_->no_answer(options_.timeout);
    connection_.reset();
  }
  co_return fault;
}

void Subscriber::on_connected(Connection& connection) {
  if (options_.password.empty()) return begin_subscriptions();
  connection.send(options_.username.empty() ? encode("AUTH", options_.password)
                                            : encode("AUTH", options_.username, options_.password));
}

void Subscriber::begin_subscriptions() {
  authenticated_ = true;
  if (!channels_.empty()) connection_->subscribe(encode("SUBSCRIBE", channels_), options_.max_reply);
  if (!patterns_.empty()) connection_->subscribe(encode("PSUBSCRIBE", patterns_), options_.max_reply);
}

void Subscriber::on_reply(Connection&, const redisReply& reply) {
  if (reply.type == REDIS_REPLY_ERROR) return refuse(string_of(&reply));
  if (!authenticated_) return begin_subscriptions();
  if (reply.type == REDIS_REPLY_ARRAY) on_message(reply);
}

void Subscriber::refuse(std::string_view error) {
  fault_ = error;
  if (is_final(error)) refusal_ = error;
  failed_ = true;
  settled_.set();
}

// Called from within the connection, which is destroyed by the next attempt.
void Subscriber::on_lost(Connection&, std::string_view why) noexcept {
  failed_ = true;
  set_subscribed(false);
  try {
    fault_ = why;
    if (is_final(why)) refusal_ = why;  // of a connection that was ended for it
  } catch (const std::bad_alloc&) {
    fault_ = "no memory";  // short enough for no allocation
  }
  settled_.set();
  changed_.set();
}

Task<> Subscriber::subscribe() {
  while (!subscribed_) {
    connection_.reset();
    try {
      fault_ = co_await attempt();
    } catch (const Overloaded&) {
      fault_ = "overloaded";  // the pool that resolves names
    }
    if (subscribed_) {
      backoff_.reset();
      if (std::exchange(has_subscribed_, true)) {
        queue_.push_back({{}, {}, {}, true});
        ++counters().resubscribed;
      }
      co_return;
    }
    if (!refusal_.empty()) {
      const std::string code = refusal_.substr(0, refusal_.find(' '));
      throw RedisError(RedisFault::Refused, name_of(options_) + ": " + std::exchange(refusal_, {}), code);
    }
    co_await sleep_for(backoff_.next(options_.retry));
  }
}

// --- Messages

void Subscriber::on_message(const redisReply& reply) {
  alive_ = true;
  const std::string_view kind = string_of(reply.element[0]);
  if (kind == "subscribe" || kind == "psubscribe") {
    if (++confirmed_ == channels_.size() + patterns_.size()) settled_.set();
    return;
  }
  RedisMessage message;
  const bool by_pattern = kind == "pmessage";
  if (!std::ranges::binary_search(by_pattern ? patterns_ : channels_, string_of(reply.element[1]))) return;
  if (by_pattern) message.pattern = string_of(reply.element[1]);
  message.channel = string_of(reply.element[by_pattern ? 2 : 1]);
  message.payload = string_of(reply.element[by_pattern ? 3 : 2]);
  const std::size_t bytes = message.channel.size() + message.payload.size() + message_overhead;
  queue_.push_back(std::move(message));
  ++counters().messages;
  ++counters().unread;
  queued_bytes_ += bytes;
  if (is_full()) connection_->pause();
  changed_.set();
}

bool Subscriber::is_full() const noexcept {
  return queue_.size() >= max_messages || queued_bytes_ >= options_.max_queued;
}

// Until something has changed. Meanwhile, Redis is asked whether it is there: it confirms a subscription once more.
Task<> Subscriber::wait() {
  alive_ = true;
  while (!changed_.is_set()) {
    if (options_.ping.count() <= 0) {
      co_await changed_;
      continue;
    }
    try {
      co_await with_timeout(options_.ping, changed_.wait());
    } catch (const TimedOut&) {
      if (!std::exchange(alive_, false)) {
        set_subscribed(false);
        co_return;
      }
      const bool by_name = !channels_.empty();
      connection_->subscribe(encode(by_name ? "SUBSCRIBE" : "PSUBSCRIBE", (by_name ? channels_ : patterns_).front()),
                             options_.max_reply);
    }
  }
}

Task<RedisMessage> Subscriber::next() {
  while (queue_.empty()) {
    co_await subscribe();
    if (!queue_.empty()) break;
    changed_.reset();
    if (subscribed_) co_await wait();
  }
  RedisMessage first = std::move(queue_.front());
  queue_.pop_front();
  if (!first.missed) {
    queued_bytes_ -= first.channel.size() + first.payload.size() + message_overhead;
    --counters().unread;
  }
  if (subscribed_ && queue_.size() < max_messages / 2 && queued_bytes_ <= options_.max_queued / 2)
    connection_->resume();
  co_return first;
}

}  // namespace redis

RedisSubscription::RedisSubscription(const Redis& redis, std::vector<std::string> channels,
                                     std::vector<std::string> patterns)
    : subscriber_(base::make_box<redis::Subscriber>(redis, std::move(channels), std::move(patterns))) {}

Task<RedisMessage> RedisSubscription::next() {
  return subscriber_->next();
}

Task<> RedisSubscription::subscribe() {
  return subscriber_->subscribe();
}

}  // namespace tern
