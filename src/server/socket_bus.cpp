#include "server/socket_bus.hpp"

#include "server/websocket_hub.hpp"
#include "websocket/frame.hpp"

#include <utility>

namespace tern::server {

FramedPublication::FramedPublication(const Publication& publication, TopicDeflater& deflater)
    : topic(publication.topic), deflated(deflater.deflate(publication)) {
  const auto opcode = publication.is_text ? websocket::Opcode::Text : websocket::Opcode::Binary;
  websocket::append_frame(frame, opcode, publication.content);
}

const std::string* FramedPublication::deflated_for(int bits) const noexcept {
  const std::string* best = nullptr;
  for (const DeflatedFrame& each : deflated) {
    if (each.bits <= bits) best = &each.frame;
  }
  return best;
}

std::size_t FramedPublication::bytes() const noexcept {
  constexpr std::size_t overhead = 256;
  std::size_t bytes = topic.size() + frame.size() + overhead;
  for (const DeflatedFrame& each : deflated) bytes += each.frame.size() + sizeof each;
  return bytes;
}

SocketBus::~SocketBus() {
  Place* place = first_.load(std::memory_order_relaxed);
  while (place != nullptr) delete std::exchange(place, place->next);
}

// Release, for the publishers that find it; they acquire the first, and the others with it, since each was put before
// the one before by a read-modify-write.
void SocketBus::add(WebSocketHub& hub) {
  auto* place = new Place{hub.mailbox(), &hub, first_.load(std::memory_order_relaxed)};
  while (!first_.compare_exchange_weak(place->next, place, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

// Its place stays, so that nobody has to be kept from looking at it: there are no more of them than loops.
void SocketBus::remove(const WebSocketHub& hub) noexcept {
  for (Place* place = first_.load(std::memory_order_acquire); place != nullptr; place = place->next) {
    if (place->hub == &hub) place->hub = nullptr;
  }
}

// Publishers are not slowed down by a loop that cannot follow: it gets less. The count is a bound, and hands nothing
// over: relaxed.
void SocketBus::post(Place& place, const std::shared_ptr<const FramedPublication>& publication) {
  const std::size_t bytes = publication->bytes();
  if (place.under_way.fetch_add(bytes, std::memory_order_relaxed) > max_under_way) {
    place.under_way.fetch_sub(bytes, std::memory_order_relaxed);
    return;
  }
  place.mailbox->post([&place, publication = publication] {
    place.under_way.fetch_sub(publication->bytes(), std::memory_order_relaxed);
    place.hub->deliver(*publication, nullptr);
  });
}

PublishStatus SocketBus::publish(const Publication& publication, const WebSocketSession* except) {
  deliver(publication, except);
  return bus_ == nullptr ? PublishStatus::Sent : bus_->publish(publication);
}

// A hub that is gone by the time has closed its mailbox, or its loop has ended: what was posted is dropped.
void SocketBus::deliver(const Publication& publication, const WebSocketSession* except) {
  Place* const first = first_.load(std::memory_order_acquire);
  if (first == nullptr) return;
  const auto framed = std::make_shared<const FramedPublication>(publication, deflater_);
  for (Place* place = first; place != nullptr; place = place->next) {
    if (!place->mailbox->is_current()) {
      post(*place, framed);
    } else if (place->hub != nullptr) {
      place->hub->deliver(*framed, except);
    }
  }
}

void SocketBus::subscribed(const http::TopicFilter& filter, int bits) {
  {
    const std::lock_guard lock(counts_mutex_);
    ++counts_[filter.has_wildcards][std::string(filter.text)];
  }
  deflater_.subscribed(filter, bits);
}

void SocketBus::unsubscribed(const http::TopicFilter& filter, int bits) noexcept {
  deflater_.unsubscribed(filter, bits);
  const std::lock_guard lock(counts_mutex_);
  Counts& counts = counts_[filter.has_wildcards];
  const auto found = counts.find(filter.text);
  if (--found->second == 0) counts.erase(found);
}

std::size_t SocketBus::subscribers(const http::TopicFilter& filter) const {
  const std::lock_guard lock(counts_mutex_);
  const Counts& counts = counts_[filter.has_wildcards];
  const auto found = counts.find(filter.text);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace tern::server
