#include "server/websocket_hub.hpp"

#include "server/websocket_session.hpp"
#include "server/worker.hpp"

#include <utility>

namespace tern::server {
namespace {

constexpr std::size_t max_spare = 64;

}  // namespace

WebSocketHub::WebSocketHub(Worker& worker)
    : worker_(worker), inflation_(worker.loop()), mailbox_(std::make_shared<http::SocketMailbox>(worker.loop())) {
  spare_.reserve(max_spare);  // so that give_back() needs no memory
  worker.shared().sockets.add(*this);
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

void WebSocketHub::subscribe(const http::TopicFilter& filter, WebSocketSession& session) {
  if (!topics_.add(filter, session)) return;
  try {
    worker_.shared().sockets.subscribed(filter, session.deflate_bits());
  } catch (...) {
    topics_.remove(filter, session);
    throw;
  }
}

void WebSocketHub::unsubscribe(const http::TopicFilter& filter, WebSocketSession& session) {
  if (topics_.remove(filter, session)) worker_.shared().sockets.unsubscribed(filter, session.deflate_bits());
}

void WebSocketHub::leave_all(WebSocketSession& session) {
  topics_.remove_all(session, [this, bits = session.deflate_bits()](const http::TopicFilter& filter) {
    worker_.shared().sockets.unsubscribed(filter, bits);
  });
}

void WebSocketHub::publish(const Publication& publication, const WebSocketSession& from) {
  worker_.shared().sockets.publish(publication, &from);
}

void WebSocketHub::deliver(const FramedPublication& publication, const WebSocketSession* except) {
  topics_.match(publication.topic, [&](Subscriber& subscriber) {
    auto& session = static_cast<WebSocketSession&>(subscriber);
    if (&session == except) return;
    const std::string* deflated = publication.deflated_for(session.deflate_bits());
    session.deliver(deflated != nullptr ? *deflated : publication.frame, deflated != nullptr);
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

}  // namespace tern::server
