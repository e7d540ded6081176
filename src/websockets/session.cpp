#include "websockets/session.hpp"

#include "transport/direct_receive.hpp"

#include "logging/log.hpp"
#include "websockets/hub.hpp"

#include <tern/coro/cancelled.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tern::websockets {
namespace {

constexpr std::size_t max_pending = 64 * 1024;    // bytes that are sent before the end of the iteration
constexpr std::size_t max_passing = 256 * 1024;   // the same for payloads that are not copied
constexpr std::size_t min_expected = 192 * 1024;  // of a frame, to receive the next one's beginning only
constexpr std::size_t max_kept = 16;              // messages queued for a coroutine
constexpr std::size_t max_kept_bytes = 64 * 1024;

bool owns_memory(net::Output& output) noexcept {
  return output.text().capacity() > std::string().capacity();
}

std::unique_ptr<websocket::Codec> make_codec(std::optional<websocket::DeflateParameters> terms, WebSocketHub& hub) {
  return terms ? std::make_unique<websocket::Codec>(*terms, hub.codecs()) : nullptr;
}

}  // namespace

WebSocketSession::WebSocketSession(WebSocketHub& hub, WebSocketTransport& transport,
                                   base::Box<http::SocketUpgrade> upgrade,
                                   std::optional<websocket::DeflateParameters> terms, RetainedRequest* request)
    : hub_(hub),
      transport_(&transport),
      options_(*upgrade->options),
      limits_{options_.max_message},
      core_(limits_, make_codec(terms, hub)),
      socket_(std::move(upgrade->socket)),
      task_(std::move(upgrade->task)),
      handler_(std::move(upgrade->handler)),
      request_(request) {
  hub.add(*this);
}

WebSocketSession::~WebSocketSession() {
  hub_.loop().disarm(*this);
  hub_.leave_all(*this);
  ended_ = true;
  socket_.link()->detach();
  task_ = {};  // first: its frame may refer to the request
  socket_.link()->close(core_.close_code());
  base::IntrusiveList<WebSocketSession>::remove(*this);
  if (request_ != nullptr) request_->release();
}

void WebSocketSession::start(std::string protocol) {
  ++busy_;
  attempt([&] { socket_.link()->open(*this, hub_.mailbox(), std::move(protocol)); });
  watch_peer();
  if (handler_) {
    guarded([this] { handler_->open(socket_); });
  } else {
    running_ = true;
    task_.inherit_stop(&stop_);
    const auto call = [](void* self) { static_cast<WebSocketSession*>(self)->task_ended(); };
    if (task_.start(call, this)) task_ended();
  }
  --busy_;
}

// --- Receiving ---

std::size_t WebSocketSession::on_bytes(std::span<const char> bytes) {
  const std::size_t granted = may_inflate();
  begin_reading(granted);
  // No other code reads these bytes of the loop's buffer again: a frame is unmasked in place.
  attempt([&] {
    core_.receive({const_cast<char*>(bytes.data()), bytes.size()});
    read();
  });
  const std::size_t consumed = core_.consumed();
  hub_.inflation().charge(granted - core_.inflation_budget());
  return end_reading() ? consumed : bytes.size();
}

// The rest of a large frame is received directly into the message.
bool WebSocketSession::on_direct_receive() {
  if (core_.remaining_payload() < transport::min_direct_receive) {
    transport_->allow_direct_receive(false);
    if (core_.remaining_payload() != 0) expect_large(false);
    return false;
  }
  if (has_to_pause()) {
    transport_->pause();
    return true;
  }
  const std::size_t granted = may_inflate();
  begin_reading(granted);
  core_.receive({});
  const auto take = [this](std::span<char> to) { return transport_->receive_into(to); };
  const auto spare = [this](std::size_t size) { return hub_.loop().buffer_pool().take(size); };
  const auto next = [&](std::string& to) {
    core_.reserve_payload(transport::min_direct_receive, transport_->arriving(), spare);
    return core_.read_into(to, transport::max_direct_receive, take);
  };
  attempt([&] {
    if (handle(next)) read();
  });
  hub_.inflation().charge(granted - core_.inflation_budget());
  end_reading();
  return true;
}

std::size_t WebSocketSession::may_inflate() noexcept {
  return core_.codec() != nullptr ? hub_.inflation().available() : 0;
}

// Continues with a message that exceeded its budget, and then with the bytes received after it.
std::size_t WebSocketSession::on_inflation_turn(std::size_t budget) noexcept {
  begin_reading(budget);
  attempt([this] {
    core_.receive({});
    read();
  });
  const std::size_t used = budget - core_.inflation_budget();
  const bool goes_on = end_reading() && transport_ != nullptr && transport_->paused();
  if (goes_on && !core_.inflating() && !has_to_pause()) attempt([this] { transport_->resume(); });
  return used;
}

void WebSocketSession::read_on() {
  if (core_.inflating()) return hub_.inflation().wait(*this);
  transport_->resume();
}

void WebSocketSession::expect_large(bool large) noexcept {
  if (large == expects_large_ || transport_ == nullptr) return;
  expects_large_ = large;
  transport_->expect_large(large);
}

// Until end_reading(), at most so many bytes are inflated.
void WebSocketSession::begin_reading(std::size_t inflation_budget) {
  core_.set_inflation_budget(inflation_budget);
  heard_ = true;
  if (pinged_) watch_peer();  // it has answered, or could have
  ++busy_;
  reading_ = true;
}

// False if nothing will be read any more.
bool WebSocketSession::end_reading() {
  reading_ = false;
  attempt([this] { flush(); });
  const bool over = core_.closed();
  // After its close frame a peer sends nothing (RFC 6455, section 5.5.1).
  if (over && transport_ != nullptr) transport_->finish();
  if (!over && transport_ != nullptr && core_.remaining_payload() >= transport::min_direct_receive)
    transport_->allow_direct_receive(true);
  --busy_;
  return !over;
}

void WebSocketSession::read() {
  while (!has_to_pause()) {
    if (!handle([this](std::string& to) { return core_.next(to); })) return;
  }
  transport_->pause();
}

// Handles the event that `next` finds; false if it was the last.
template <class F>
bool WebSocketSession::handle(F&& next) {
  try {
    std::string& to = out();
    const std::size_t before = to.size();
    const websocket::Event event = next(to);
    if (to.size() != before) wrote();
    switch (event) {
      case websocket::Event::Message: take_message(); return true;
      case websocket::Event::Closed: ended(core_.close_code(), core_.close_reason()); return false;
      case websocket::Event::Deferred:
        hub_.inflation().wait(*this);
        transport_->pause();
        break;
      case websocket::Event::NeedMore: break;
    }
  } catch (const std::bad_alloc&) {  // called by the loop, not by a coroutine
    hub_.log().failure("a WebSocket's message could not be received", std::current_exception(), "websocket");
    if (transport_ != nullptr) transport_->abort();
  }
  return false;
}

// The peer has to wait while a coroutine has messages queued, or the peer does not read the server's output. After the
// server's close frame, messages are dropped until the peer's close arrives.
bool WebSocketSession::has_to_pause() const noexcept {
  if (transport_ == nullptr || !core_.may_write()) return false;
  if (handler_ && running_) return true;
  const http::SocketLink& link = *socket_.link();
  if (!handler_ && (link.queued() >= max_kept || link.queued_bytes() >= max_kept_bytes)) return true;
  return transport_->unsent() > options_.max_queued;
}

void WebSocketSession::take_message() {
  ++hub_.counters().received;
  expect_large(core_.last_frame_size() >= min_expected);  // the next is probably similar
  const MessageView message{core_.message(), core_.is_text()};
  if (handler_) return handler_->computes(message) ? compute() : call_handler(message);
  http::SocketLink& link = *socket_.link();
  Message taken{core_.take_message(), core_.is_text()};
  if (link.has_receiver()) return link.deliver(std::move(taken));
  link.enqueue(std::move(taken));
}

// Has the handler parse the message on the thread pool. Until then, nothing more is read, and the session stays.
void WebSocketSession::compute() {
  guarded([this] {
    task_ = handler_->compute(socket_, {core_.take_message(), core_.is_text()});
    running_ = true;
    if (task_.start([](void* self) { static_cast<WebSocketSession*>(self)->computed(); }, this)) computed();
  });
}

void WebSocketSession::computed() {
  running_ = false;
  guarded([this] {
    try {
      task_.result();
    } catch (const http::MessageRefused& refused) {
      refuse(refused.code);
    } catch (const Cancelled&) {  // the server stops
    }
  });
  if (!reading_ && transport_ != nullptr && transport_->paused() && !has_to_pause()) attempt([this] { read_on(); });
  leave_if_over();
}

void WebSocketSession::call_handler(const MessageView& message) {
  guarded([&] {
    const std::uint16_t refused = handler_->message(socket_, message);
    if (refused != 0) refuse(refused);
  });
  // A relayed message that was assembled from fragments is kept until it has been sent.
  if (core_.is_buffered() && message.content.size() > net::Output::large) {
    hub_.loop().buffer_pool().give(pending_.take_ownership(core_.take_message()));
    wrote();
  }
}

void WebSocketSession::refuse(std::uint16_t code) noexcept {
  switch (code) {
    case websocket::UnsupportedData: return close(code, "text only");
    case websocket::TryAgainLater: return close(code, "too much to do");
    default: return close(code, "not what is expected");
  }
}

void WebSocketSession::on_iteration_end() noexcept {
  attempt([this] { flush(); });
}

void WebSocketSession::report(const std::exception_ptr& error) noexcept {
  hub_.log().failure("a WebSocket's handler failed", error, "websocket");
}

void WebSocketSession::on_message_taken() {
  if (reading_ || transport_ == nullptr || !transport_->paused() || has_to_pause()) return;
  read_on();
}

// A connection that ends without a close frame (RFC 6455, section 7.1.5).
void WebSocketSession::on_end() {
  ++busy_;
  ended(websocket::Abnormal, {});
  attempt([this] { transport_->finish(); });
  --busy_;
}

void WebSocketSession::on_closed() {
  ++busy_;
  if (request_ != nullptr) request_->disconnect();
  transport_ = nullptr;
  count_queued();
  InflationQueue::Waiter::unlink();
  ended(websocket::Abnormal, {});
  --busy_;
  leave_if_over();
}

// --- Sending ---

std::string& WebSocketSession::out() {
  if (pending_.empty() && !owns_memory(pending_)) pending_ = hub_.take_output();
  return pending_.text();
}

void WebSocketSession::wrote() {
  const std::size_t most = std::min(max_passing, std::max(max_pending, options_.max_queued));
  if (pending_.text().size() >= max_pending || pending_.size() >= most) return flush();
  if (!reading_) hub_.loop().at_iteration_end(*this);
}

void WebSocketSession::flush() {
  if (transport_ == nullptr) return;
  if (!pending_.empty()) {
    transport_->send(pending_);
    if (transport_->waits()) waiting_ = true;
  }
  if (!reading_ && owns_memory(pending_)) hub_.give_back(std::exchange(pending_, {}));
  count_queued();
}

std::size_t WebSocketSession::queued() const noexcept {
  return transport_ == nullptr ? 0 : transport_->unsent() + pending_.size();
}

// One message is always accepted, of any size. If there is no room, on_sent() will follow.
bool WebSocketSession::has_room(std::size_t bytes) {
  const auto fits = [&] {
    const std::size_t before = transport_->unsent();
    return before == 0 || before + pending_.size() + bytes <= options_.max_queued;
  };
  if (fits()) return true;
  if (!transport_->waits()) {  // the peer is not slow
    transport_->push();
    if (fits()) return true;
  }
  waiting_ = true;
  return false;
}

bool WebSocketSession::waits_when_full() const noexcept {
  return options_.when_full == WhenFull::Wait;
}

SendStatus WebSocketSession::send(std::string_view content, bool is_text) {
  if (transport_ == nullptr || ended_ || !core_.may_write()) return SendStatus::Closed;
  if (!has_room(content.size())) {
    if (options_.when_full == WhenFull::Drop) ++hub_.counters().dropped;
    if (options_.when_full != WhenFull::Close) return SendStatus::Dropped;
    close(websocket::PolicyViolation, "too slow");
    return SendStatus::Closed;
  }
  const auto opcode = is_text ? websocket::Opcode::Text : websocket::Opcode::Binary;
  if (reading_ && content.size() > net::Output::large && core_.codec() == nullptr && core_.is_received_data(content)) {
    // Relays received bytes without a copy: all leave before on_bytes() returns; those of an assembled message, once it
    // is kept.
    if (core_.is_buffered() && pending_.size() >= max_passing) flush();
    std::string& to = out();
    pending_.expect_body();  // if an allocation fails, no head is sent without its payload
    core_.begin(to, opcode, content.size());
    pending_.append_borrowed(content);
    if (!core_.is_buffered()) wrote();
  } else {
    core_.write(out(), opcode, content);
    wrote();
  }
  ++hub_.counters().sent;
  return SendStatus::Sent;
}

int WebSocketSession::deflate_bits() const noexcept {
  const websocket::Codec* codec = core_.codec();
  return codec != nullptr ? codec->parameters().server_window_bits : 0;
}

void WebSocketSession::deliver(const FramedPublication& publication) noexcept {
  if (transport_ == nullptr || ended_ || !core_.may_write()) return;
  const std::string* deflated = publication.deflated_for(deflate_bits());
  const std::string& frame = deflated != nullptr ? *deflated : publication.frame;
  attempt([&] {
    if (!has_room(frame.size())) {
      ++hub_.counters().dropped;
      if (options_.when_full == WhenFull::Close) close(websocket::PolicyViolation, "too slow");
      return;
    }
    out().append(frame);
    if (deflated != nullptr) core_.codec()->reset_deflater();
    wrote();
    ++hub_.counters().sent;
  });
}

void WebSocketSession::on_sent() {
  ++busy_;
  count_queued();
  const bool waited = waiting_;
  waiting_ = false;
  socket_.link()->room().set();
  if (waited && handler_ && !ended_) guarded([this] { handler_->drained(socket_); });
  if (transport_ != nullptr && transport_->paused() && !has_to_pause()) attempt([this] { read_on(); });
  --busy_;
}

void WebSocketSession::subscribe(const http::TopicFilter& filter) {
  if (!ended_) hub_.subscribe(filter, *this);
}

void WebSocketSession::unsubscribe(const http::TopicFilter& filter) {
  hub_.unsubscribe(filter, *this);
}

void WebSocketSession::publish(const Publication& publication) {
  hub_.publish(publication, *this);
}

// --- Closing ---

// Begins the closing handshake, which the peer has to complete within close_timeout.
void WebSocketSession::close(std::uint16_t code, std::string_view reason) noexcept {
  if (transport_ == nullptr || ended_ || !core_.may_write()) return;
  attempt([&] {
    core_.close(out(), code, reason);
    wrote();
  });
  hub_.leave_all(*this);
  hub_.loop().arm(*this, options_.close_timeout);
  pinged_ = false;
  ++busy_;
  socket_.link()->close(code);
  --busy_;
  if (!reading_ && transport_ != nullptr && transport_->paused()) attempt([this] { transport_->resume(); });
}

void WebSocketSession::drain() {
  close(websocket::GoingAway, "the server stops");
}

// Notifies the handler, once.
void WebSocketSession::ended(std::uint16_t code, std::string_view reason) {
  if (std::exchange(ended_, true)) return;
  hub_.leave_all(*this);
  hub_.loop().disarm(*this);
  std::array<char, websocket::max_control_payload> kept;  // the core may reuse its own
  const std::string_view copied(kept.data(), reason.copy(kept.data(), kept.size()));
  socket_.link()->close(code);
  if (handler_) guarded([&] { handler_->closed(socket_, code, copied); });
}

void WebSocketSession::task_ended() {
  running_ = false;
  try {
    task_.result();
    close(websocket::Normal, {});
  } catch (const Cancelled&) {
    close(websocket::GoingAway, {});
  } catch (...) {
    report(std::current_exception());
    close(websocket::InternalError, {});
  }
  leave_if_over();
}

// Ends the session when neither the connection, the coroutine nor a caller needs it.
void WebSocketSession::leave_if_over() {
  if (busy_ != 0 || transport_ != nullptr || running_) return;
  WebSocketHub& hub = hub_;
  delete this;
  hub.on_session_ended();
}

// --- Keep-alive ---

void WebSocketSession::watch_peer() {
  heard_ = false;
  pinged_ = false;
  if (options_.ping.count() != 0) hub_.loop().arm(*this, options_.ping);
}

Milliseconds WebSocketSession::patience() const noexcept {
  return options_.ping.count() == 0 ? options_.ping : options_.ping + options_.pong;
}

void WebSocketSession::on_timer() noexcept {
  if (transport_ != nullptr) attempt([this] { peer_is_silent(); });
}

// The peer was silent for a period; or has not answered the close.
void WebSocketSession::peer_is_silent() {
  const bool excused = transport_->excuses_silence();
  const bool progresses = transport_->progresses();
  if (core_.closing() || core_.closed()) {
    if (excused) return hub_.loop().arm(*this, options_.close_timeout);
    return transport_->abort();
  }
  if (heard_ || excused || progresses) return watch_peer();
  if (pinged_) return transport_->abort();
  pinged_ = true;
  core_.ping(out(), {});
  wrote();
  hub_.loop().arm(*this, options_.pong);
}

}  // namespace tern::websockets
