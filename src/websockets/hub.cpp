#include "websockets/hub.hpp"

#include "websockets/session.hpp"

#include <utility>

namespace tern::websockets {
namespace {

constexpr std::size_t max_spare = 64;

}  // namespace

WebSocketHub::WebSocketHub(net::Loop& loop, logging::Log& log, SocketBus& bus, SocketCounters& counters,
                           base::Function<void()> session_ended)
    : loop_(loop),
      log_(log),
      bus_(bus),
      counters_(counters),
      session_ended_(std::move(session_ended)),
      inflation_(loop),
      mailbox_(std::make_shared<http::SocketMailbox>(loop)) {
  spare_.reserve(max_spare);  // so that give_back() does not allocate
  bus.add(*this);
}

WebSocketHub::~WebSocketHub() {
  mailbox_->close();
  bus_.remove(*this);
  while (!sessions_.empty()) delete sessions_.first();
}

void WebSocketHub::add(WebSocketSession& session) noexcept {
  sessions_.push_front(session);
  ++counters_.opened;
}

void WebSocketHub::stop() noexcept {
  sessions_.for_each([](WebSocketSession& session) { session.stop(); });
}

void WebSocketHub::subscribe(const http::TopicFilter& filter, TopicSubscriber& subscriber) {
  if (!topics_.add(filter, subscriber)) return;
  try {
    bus_.subscribed(filter, subscriber.deflate_bits());
  } catch (...) {
    topics_.remove(filter, subscriber);
    throw;
  }
}

void WebSocketHub::unsubscribe(const http::TopicFilter& filter, TopicSubscriber& subscriber) {
  if (topics_.remove(filter, subscriber)) bus_.unsubscribed(filter, subscriber.deflate_bits());
}

void WebSocketHub::leave_all(TopicSubscriber& subscriber) {
  topics_.remove_all(subscriber, [this, bits = subscriber.deflate_bits()](const http::TopicFilter& filter) {
    bus_.unsubscribed(filter, bits);
  });
}

void WebSocketHub::publish(const Publication& publication, const WebSocketSession& from) {
  bus_.publish(publication, &from);
}

void WebSocketHub::deliver(const FramedPublication& publication, const WebSocketSession* except) {
  topics_.match(publication.topic, [&](Subscriber& subscriber) {
    if (&subscriber != except) static_cast<TopicSubscriber&>(subscriber).deliver(publication);
  });
}

net::Output WebSocketHub::take_output() {
  if (spare_.empty()) return {};
  net::Output output = std::move(spare_.back());
  spare_.pop_back();
  return output;
}

void WebSocketHub::give_back(net::Output output) noexcept {
  output.clear();
  if (spare_.size() < max_spare) spare_.push_back(std::move(output));
}

}  // namespace tern::websockets
