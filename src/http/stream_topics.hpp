// What is published for an event stream, until its producer takes it.
#pragma once

#include "http/topic.hpp"

#include <tern/base/box.hpp>
#include <tern/coro/event.hpp>
#include <tern/http/event_stream.hpp>

#include <cstddef>
#include <deque>
#include <optional>

namespace tern::http {

// The subscriptions of one event stream with its server; the destructor ends them. On the loop's thread.
class TopicSubscriptions {
public:
  TopicSubscriptions() = default;
  TopicSubscriptions(const TopicSubscriptions&) = delete;
  TopicSubscriptions& operator=(const TopicSubscriptions&) = delete;
  virtual ~TopicSubscriptions() = default;
  virtual void subscribe(const TopicFilter& filter) = 0;
  virtual void unsubscribe(const TopicFilter& filter) = 0;
};

// On the loop's thread.
class StreamTopics {
public:
  StreamTopics(Writer& writer, std::size_t max_queued_bytes, bool closes_when_full);

  TopicSubscriptions& subscriptions() noexcept { return *subscriptions_; }
  // Called by the server: a publication that a subscription matches.
  void take(const Publication& publication) noexcept;
  Task<std::optional<Published>> receive();

private:
  const std::size_t max_queued_bytes_;
  const bool closes_when_full_;
  std::deque<Published> queue_;
  std::size_t queued_bytes_ = 0;
  bool closed_ = false;
  Event changed_;
  base::Box<TopicSubscriptions> subscriptions_;  // ends first: it calls take()
};

}  // namespace tern::http
