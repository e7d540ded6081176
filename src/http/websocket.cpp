#include <tern/http/websocket.hpp>

#include "http/socket.hpp"
#include "http/topic.hpp"

#include <tern/base/expects.hpp>
#include <tern/base/utf8.hpp>
#include <tern/coro/cancelled.hpp>

#include <stdexcept>

namespace tern {
namespace http {

bool SocketMailbox::post(base::Function<void()> work) {
  const base::Gate::Pass inside(gate_);
  if (!inside) return false;
  executor_->post(std::move(work));
  return true;
}

void SocketLink::open(Socket& socket, std::shared_ptr<SocketMailbox> mailbox, std::string protocol) {
  base::expects(state_.load() == State::New, "one WebSocket is opened once");
  socket_ = &socket;
  mailbox_ = std::move(mailbox);
  protocol_ = std::move(protocol);
  max_posted_ = socket.max_queued();
  bound_.store(true, std::memory_order_release);
  state_.store(State::Open, std::memory_order_release);
}

void SocketLink::close(std::uint16_t code) noexcept {
  close_code_.store(code, std::memory_order_relaxed);
  if (state_.exchange(State::Closed, std::memory_order_acq_rel) == State::Closed) return;
  room_.set();
  // At its turn: one call may close many WebSockets, and a resumed coroutine may close others.
  if (ReceiveWait* wait = std::exchange(receiver_, nullptr)) wait->end();
}

void SocketLink::deliver(Message message) {
  ReceiveWait& wait = *std::exchange(receiver_, nullptr);
  wait.message_.emplace(std::move(message));
  wait.waiting_.resume();
}

void SocketLink::enqueue(Message message) {
  queued_bytes_ += message.content.size();
  messages_.push_back(std::move(message));
}

Socket* SocketLink::local_socket() const noexcept {
  return bound_.load(std::memory_order_acquire) && mailbox_->is_current() ? socket_ : nullptr;
}

SocketMailbox* SocketLink::mailbox() const noexcept {
  return bound_.load(std::memory_order_acquire) ? mailbox_.get() : nullptr;
}

std::string_view SocketLink::protocol() const noexcept {
  return bound_.load(std::memory_order_acquire) ? std::string_view(protocol_) : std::string_view();
}

bool SocketLink::add_posted(std::size_t bytes) noexcept {
  const std::size_t before = posted_.fetch_add(bytes, std::memory_order_relaxed);
  if (before == 0 || before + bytes <= max_posted_) return true;
  take_posted(bytes);
  return false;
}

bool SocketLink::enter(ReceiveWait& wait) {
  base::expects(receiver_ == nullptr, "one may wait for the messages of a WebSocket at a time");
  base::expects(!bound_ || mailbox_->is_current(), "messages are received on the loop of their WebSocket");
  if (!messages_.empty()) {
    queued_bytes_ -= messages_.front().content.size();
    wait.message_.emplace(std::move(messages_.front()));
    messages_.erase(messages_.begin());
    if (socket_ != nullptr) socket_->on_message_taken();
    return false;
  }
  if (!is_open()) return false;
  receiver_ = &wait;
  return true;
}

void SocketLink::leave(ReceiveWait& wait) noexcept {
  if (receiver_ == &wait) receiver_ = nullptr;
}

ReceiveWait::~ReceiveWait() {
  if (waiting_ && link_ != nullptr) link_->leave(*this);
}

bool ReceiveWait::wait(std::coroutine_handle<> waiting, StopState* stop) {
  stopped_ = stop != nullptr && stop->stopped();
  if (stopped_ || link_ == nullptr || !link_->enter(*this)) return false;
  waiting_ = waiting;
  executor_ = Executor::current();
  if (stop != nullptr && executor_ != nullptr) watch(StopToken(*stop));
  return true;
}

std::optional<Message> ReceiveWait::await_resume() {
  waiting_ = nullptr;
  unwatch();
  if (stopped_) throw Cancelled();
  return std::move(message_);
}

void ReceiveWait::on_stop() noexcept {
  if (message_) return;  // it is being resumed
  link_->leave(*this);
  stopped_ = true;
  executor_->schedule(*this);
}

void ReceiveWait::end() noexcept {
  unwatch();
  executor_->schedule(*this);
}

void ReceiveWait::on_turn() noexcept {
  waiting_.resume();
}

Task<> SocketUpgrade::run(Writer&) {
  co_return;
}

Response upgrade_to(SocketUpgrade* owned) {
  Response response(Status::SwitchingProtocols);
  response.producer_.put(base::Box<Producer>(owned));
  return response;
}

}  // namespace http

// A response with this status and a producer was made by upgrade_to().
base::Box<http::SocketUpgrade> Response::take_upgrade() noexcept {
  return base::Box<http::SocketUpgrade>(static_cast<http::SocketUpgrade*>(take_producer().release()));
}

namespace {

constexpr std::size_t post_overhead = 128;  // bytes of a message in flight to another loop, in addition to its content

// Retries a message without room whenever there is room again, until it is sent or the WebSocket closes.
Task<SendStatus> send_later(WebSocket socket, std::string content, bool is_text) {
  http::SocketLink& link = *socket.link();
  while (http::Socket* local_socket = link.local_socket()) {
    const SendStatus status = local_socket->send(content, is_text);
    if (status != SendStatus::Dropped) co_return status;
    link.room().reset();
    co_await link.room();
  }
  co_return SendStatus::Closed;
}

}  // namespace

WebSocket::WebSocket(const WebSocket& other) noexcept : link_(other.link_) {
  if (link_ != nullptr) link_->retain();
}

WebSocket::~WebSocket() {
  if (link_ != nullptr) link_->release();
}

WebSocket WebSocket::make() {
  return WebSocket(new http::SocketLink);
}

SendResult WebSocket::send_text(std::string_view text) const {
  if (!base::is_utf8(text)) {
    throw std::invalid_argument("tern: a text message of a WebSocket is UTF-8; use send_binary() for other bytes");
  }
  return send_message(text, true);
}

// Posted work has no caller that could handle an error: when out of memory, the socket is closed.
template <class F>
static void close_when_out_of_memory(http::Socket& socket, F call) {
  try {
    call();
  } catch (const std::bad_alloc&) {
    socket.close(1011, {});
  }
}

SendResult WebSocket::send_message(std::string_view content, bool is_text) const {
  if (!is_open()) return SendResult(SendStatus::Closed);
  if (http::Socket* local_socket = link_->local_socket()) {
    const SendStatus status = local_socket->send(content, is_text);
    if (status == SendStatus::Dropped && local_socket->waits_when_full()) {
      return SendResult(send_later(*this, std::string(content), is_text));
    }
    return SendResult(status);
  }
  if (!link_->add_posted(content.size() + post_overhead)) return SendResult(SendStatus::Dropped);
  const bool posted = link_->mailbox()->post([self = *this, text = std::string(content), is_text] {
    self.link_->take_posted(text.size() + post_overhead);
    if (http::Socket* local_socket = self.link_->local_socket())
      close_when_out_of_memory(*local_socket, [&] { local_socket->send(text, is_text); });
  });
  return SendResult(posted ? SendStatus::Sent : SendStatus::Closed);
}

// Runs `ask` on the socket: directly on its loop, otherwise posted to it.
template <class F>
static void on_loop(const WebSocket& socket, F ask) {
  if (!socket.is_open()) return;
  if (http::Socket* local_socket = socket.link()->local_socket()) return ask(*local_socket);
  socket.link()->mailbox()->post([socket, ask = std::move(ask)] {
    if (http::Socket* local_socket = socket.link()->local_socket())
      close_when_out_of_memory(*local_socket, [&] { ask(*local_socket); });
  });
}

void WebSocket::close(std::uint16_t code, std::string_view reason) const {
  if (code < 3000 || code > 4999) code = 1000;
  if (!base::is_utf8(reason)) reason = {};
  on_loop(*this, [code, text = std::string(reason)](http::Socket& local_socket) { local_socket.close(code, text); });
}

bool WebSocket::is_open() const noexcept {
  return link_ != nullptr && link_->is_open();
}

std::size_t WebSocket::queued() const noexcept {
  http::Socket* local_socket = is_open() ? link_->local_socket() : nullptr;
  return local_socket != nullptr ? local_socket->queued() : 0;
}

std::string_view WebSocket::protocol() const noexcept {
  return link_ != nullptr ? link_->protocol() : std::string_view();
}

std::uint16_t WebSocket::close_code() const noexcept {
  return link_ != nullptr ? link_->close_code() : std::uint16_t{0};
}

static void subscribe_to(const WebSocket& socket, const http::TopicFilter& filter) {
  on_loop(socket, [text = std::string(filter.text), has_wildcards = filter.has_wildcards](http::Socket& local_socket) {
    local_socket.subscribe({text, has_wildcards});
  });
}

static void unsubscribe_from(const WebSocket& socket, const http::TopicFilter& filter) {
  on_loop(socket, [text = std::string(filter.text), has_wildcards = filter.has_wildcards](http::Socket& local_socket) {
    local_socket.unsubscribe({text, has_wildcards});
  });
}

void WebSocket::subscribe(std::string_view topic) const {
  subscribe_to(*this, http::literal_filter(topic));
}

void WebSocket::unsubscribe(std::string_view topic) const {
  unsubscribe_from(*this, http::literal_filter(topic));
}

void WebSocket::subscribe_filter(std::string_view filter) const {
  subscribe_to(*this, http::parse_filter(filter));
}

void WebSocket::unsubscribe_filter(std::string_view filter) const {
  unsubscribe_from(*this, http::parse_filter(filter));
}

void WebSocket::publish_message(std::string_view topic, std::string_view content, bool is_text) const {
  http::check_publication({topic, content, is_text});
  on_loop(*this, [topic = std::string(topic), content = std::string(content), is_text](http::Socket& local_socket) {
    local_socket.publish({topic, content, is_text});
  });
}

}  // namespace tern
