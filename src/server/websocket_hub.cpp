#include "server/websocket_hub.hpp"

#include "server/websocket_session.hpp"
#include "server/worker.hpp"

#include <algorithm>

namespace tern::server {
namespace {

constexpr std::size_t most_spare = 64;

}  // namespace

FramedPublication::FramedPublication(const Publication& publication)
    : topic(publication.topic),
      content(publication.content),
      opcode(publication.is_text ? websocket::Opcode::Text : websocket::Opcode::Binary) {
  websocket::append_frame(frame, opcode, content);
}

void SocketBus::add(WebSocketHub& hub, std::shared_ptr<http::SocketMailbox> mailbox) {
  const std::lock_guard lock(mutex_);
  auto loops = std::make_shared<std::vector<Loop>>(*loops_);
  loops->push_back({&hub, std::move(mailbox), std::make_shared<std::atomic<std::size_t>>(0)});
  loops_ = std::move(loops);
}

void SocketBus::remove(const WebSocketHub& hub) noexcept {
  const std::lock_guard lock(mutex_);
  auto loops = std::make_shared<std::vector<Loop>>(*loops_);
  std::erase_if(*loops, [&hub](const Loop& loop) { return loop.hub == &hub; });
  loops_ = std::move(loops);
}

// Publishers are not slowed down by a loop that cannot follow: it gets less.
void SocketBus::post(const Loop& loop, const std::shared_ptr<const FramedPublication>& publication) {
  constexpr std::size_t overhead = 256;
  const std::size_t size =
      publication->topic.size() + publication->content.size() + publication->frame.size() + overhead;
  if (loop.under_way->fetch_add(size, std::memory_order_relaxed) > most_under_way) {
    loop.under_way->fetch_sub(size, std::memory_order_relaxed);
    return;
  }
  loop.mailbox->post([hub = loop.hub, publication, under_way = loop.under_way, size] {
    under_way->fetch_sub(size, std::memory_order_relaxed);
    hub->deliver(*publication, nullptr);
  });
}

PublishStatus SocketBus::publish(const Publication& publication, const WebSocketSession* except) {
  deliver(publication, except);
  return bus_ == nullptr ? PublishStatus::Sent : bus_->publish(publication);
}

// A hub that is gone by the time has closed its mailbox, or its loop has ended: what was posted is dropped.
void SocketBus::deliver(const Publication& publication, const WebSocketSession* except) {
  std::shared_ptr<const std::vector<Loop>> loops;
  {
    const std::lock_guard lock(mutex_);
    loops = loops_;
  }
  if (loops->empty()) return;
  const auto framed = std::make_shared<const FramedPublication>(publication);
  for (const Loop& loop : *loops) {
    if (loop.mailbox->is_current()) {
      loop.hub->deliver(*framed, except);
    } else {
      post(loop, framed);
    }
  }
}

void SocketBus::subscribed(std::string_view filter) {
  const std::lock_guard lock(mutex_);
  ++counts_[std::string(filter)];
}

void SocketBus::unsubscribed(std::string_view filter) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(std::string(filter));
  if (--found->second == 0) counts_.erase(found);
}

std::size_t SocketBus::subscribers(std::string_view filter) const {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(std::string(filter));
  return found == counts_.end() ? 0 : found->second;
}

WebSocketHub::WebSocketHub(Worker& worker)
    : worker_(worker), mailbox_(std::make_shared<http::SocketMailbox>(worker.loop())) {
  worker.shared().sockets.add(*this, mailbox_);
}

WebSocketHub::~WebSocketHub() {
  mailbox_->close();
  worker_.shared().sockets.remove(*this);
  while (sessions_ != nullptr) delete sessions_;
}

void WebSocketHub::add(WebSocketSession& session) noexcept {
  session.next_ = sessions_;
  session.previous_ = &sessions_;
  if (sessions_ != nullptr) sessions_->previous_ = &session.next_;
  sessions_ = &session;
}

void WebSocketHub::remove(WebSocketSession& session) noexcept {
  *session.previous_ = session.next_;
  if (session.next_ != nullptr) session.next_->previous_ = session.previous_;
}

void WebSocketHub::stop() noexcept {
  for (WebSocketSession* session = sessions_; session != nullptr; session = session->next_) session->stop_.stop();
}

void WebSocketHub::subscribe(std::string_view filter, WebSocketSession& session) {
  if (topics_.add(filter, session)) worker_.shared().sockets.subscribed(filter);
}

void WebSocketHub::unsubscribe(std::string_view filter, WebSocketSession& session) {
  if (topics_.remove(filter, session)) worker_.shared().sockets.unsubscribed(filter);
}

void WebSocketHub::leave_all(WebSocketSession& session) {
  topics_.remove_all(session, [this](std::string_view filter) { worker_.shared().sockets.unsubscribed(filter); });
}

void WebSocketHub::publish(const Publication& publication, const WebSocketSession& from) {
  worker_.shared().sockets.publish(publication, &from);
}

// Deflated once for each size of window that is met.
void WebSocketHub::deliver(const FramedPublication& publication, const WebSocketSession* except) {
  std::array<std::string, 16> deflated;
  topics_.match(publication.topic, [&](Subscriber& subscriber) {
    auto& session = static_cast<WebSocketSession&>(subscriber);
    if (&session == except) return;
    const int bits = session.deflate_bits(publication.content.size());
    if (bits == 0) return session.deliver(publication.frame, false);
    std::string& frame = deflated[static_cast<std::size_t>(bits)];
    if (frame.empty()) {
      websocket::Deflater& deflater = codecs_.deflater(bits);
      deflater.reset();
      std::string payload;
      deflater.deflate(publication.content, payload);
      websocket::append_frame(frame, publication.opcode, payload, true);
    }
    session.deliver(frame, true);
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
  if (spare_.size() < most_spare) spare_.push_back(std::move(output));
}

}  // namespace tern::server
