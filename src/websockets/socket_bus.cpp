#include "websockets/socket_bus.hpp"

#include "websocket/frame.hpp"
#include "websockets/hub.hpp"

#include <utility>

namespace tern::websockets {

FramedPublication::FramedPublication(const Publication& publication, TopicDeflater& deflater)
    : topic(publication.topic), is_text(publication.is_text), deflated(deflater.deflate(publication)) {
  const auto opcode = publication.is_text ? websocket::Opcode::Text : websocket::Opcode::Binary;
  websocket::append_frame(frame, opcode, publication.content);
  content_at = frame.size() - publication.content.size();
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

// Release, for the publishers that find it; they acquire the head, and thereby the others, since each was added before
// its predecessor by a read-modify-write.
void SocketBus::add(WebSocketHub& hub) {
  auto* place = new Place{hub.mailbox(), &hub, first_.load(std::memory_order_relaxed)};
  while (!first_.compare_exchange_weak(place->next, place, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

// Its place stays, so that readers need no synchronisation: there are at most as many places as loops.
void SocketBus::remove(const WebSocketHub& hub) noexcept {
  for (Place* place = first_.load(std::memory_order_acquire); place != nullptr; place = place->next) {
    if (place->hub == &hub) place->hub = nullptr;
  }
}

// A slow loop does not slow down publishers: it misses messages. The count is a limit and transfers nothing: relaxed.
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

// The mailbox of a destroyed hub is closed, or its loop has ended: the posted message is dropped.
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

}  // namespace tern::websockets
