// An event stream among the subscribers of topics.
#pragma once

#include "http/stream_topics.hpp"
#include "websockets/hub.hpp"

namespace tern::websockets {

// On the hub's loop; ends before the hub.
class StreamSubscriber final : public http::TopicSubscriptions, public TopicSubscriber {
public:
  StreamSubscriber(WebSocketHub& hub, http::StreamTopics& topics) noexcept : hub_(hub), topics_(topics) {}
  ~StreamSubscriber() override { hub_.leave_all(*this); }

  void subscribe(const http::TopicFilter& filter) override { hub_.subscribe(filter, *this); }
  void unsubscribe(const http::TopicFilter& filter) override { hub_.unsubscribe(filter, *this); }

  void deliver(const FramedPublication& publication) noexcept override { topics_.take(publication.plain()); }
  int deflate_bits() const noexcept override { return 0; }

private:
  WebSocketHub& hub_;
  http::StreamTopics& topics_;
};

}  // namespace tern::websockets
