#include "tern/test_socket.hpp"

#include "websocket/close_code.hpp"

#include <tern/coro/cancelled.hpp>

#include <exception>
#include <utility>

namespace tern::testing {

void TestSockets::publish(const Publication& publication, const TestSocket* except) {
  topics_.match(publication.topic, [&](websockets::Subscriber& subscriber) {
    auto& socket = static_cast<TestSocket&>(subscriber);
    if (&socket != except) socket.deliver(publication);
  });
}

TestSocket::TestSocket(TestSockets& sockets, base::Box<http::SocketUpgrade> upgrade,
                       std::unique_ptr<MemoryExchange> exchange)
    : sockets_(sockets),
      exchange_(std::move(exchange)),
      options_(*upgrade->options),
      socket_(std::move(upgrade->socket)),
      handler_(std::move(upgrade->handler)),
      task_(std::move(upgrade->task)) {}

TestSocket::~TestSocket() {
  end(websocket::Abnormal, {});
  stop_.stop();
  loop().run_ready();
  socket_.link()->detach();
  task_ = {};  // first: its frame may refer to the request
}

void TestSocket::start(std::string protocol) {
  socket_.link()->open(*this, sockets_.mailbox(), std::move(protocol));
  if (handler_) return guarded([this] { handler_->open(socket_); });
  task_.inherit_stop(&stop_);
  const auto call = [](void* self) { static_cast<TestSocket*>(self)->task_ended(); };
  if (task_.start(call, this)) task_ended();
}

void TestSocket::receive(Message message) {
  if (ended_) return;
  if (message.content.size() > options_.max_message) return close(websocket::MessageTooBig, {});
  if (handler_) {
    return guarded([&] {
      const std::uint16_t refused = handler_->message(socket_, {message.content, message.is_text});
      if (refused != 0) close(refused, refused == websocket::UnsupportedData ? "text only" : "not what is expected");
    });
  }
  http::SocketLink& link = *socket_.link();
  link.has_receiver() ? link.deliver(std::move(message)) : link.enqueue(std::move(message));
}

std::optional<Message> TestSocket::next_sent() {
  if (sent_.empty()) return std::nullopt;
  Message next = std::move(sent_.front());
  sent_.pop_front();
  return next;
}

// Tells the handler or the coroutine, once.
void TestSocket::end(std::uint16_t code, std::string_view reason) {
  if (std::exchange(ended_, true)) return;
  sockets_.topics().remove_all(*this, [](const http::TopicFilter&) {});
  close_code_ = code;
  close_reason_ = reason;
  socket_.link()->close(code);
  if (handler_) guarded([this] { handler_->closed(socket_, close_code_, close_reason_); });
}

SendStatus TestSocket::send(std::string_view content, bool is_text) {
  if (ended_) return SendStatus::Closed;
  sent_.push_back({std::string(content), is_text});
  return SendStatus::Sent;
}

// The client's answer needs no time.
void TestSocket::close(std::uint16_t code, std::string_view reason) {
  end(code, reason);
}

void TestSocket::subscribe(const http::TopicFilter& filter) {
  if (!ended_) sockets_.topics().add(filter, *this);
}

void TestSocket::unsubscribe(const http::TopicFilter& filter) {
  sockets_.topics().remove(filter, *this);
}

void TestSocket::publish(const Publication& publication) {
  sockets_.publish(publication, this);
}

void TestSocket::task_ended() {
  try {
    task_.result();
    close(websocket::Normal, {});
  } catch (const Cancelled&) {
    close(websocket::GoingAway, {});
  } catch (...) {
    loop().report("a WebSocket's handler failed", std::current_exception());
    close(websocket::InternalError, {});
  }
}

template <class F>
void TestSocket::guarded(F call) {
  try {
    call();
  } catch (...) {
    loop().report("a WebSocket's handler failed", std::current_exception());
    close(websocket::InternalError, {});
  }
}

}  // namespace tern::testing
