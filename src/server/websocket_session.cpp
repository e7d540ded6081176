#include "server/websocket_session.hpp"

#include "server/direct_receive.hpp"
#include "server/exchange.hpp"
#include "server/log.hpp"
#include "server/websocket_hub.hpp"
#include "server/worker.hpp"

#include <tern/coro/cancelled.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tern::server {
namespace {

constexpr std::size_t max_pending = 64 * 1024;    // bytes that do not wait for the end of the iteration
constexpr std::size_t max_passing = 256 * 1024;   // the same, where what passes costs no memory
constexpr std::size_t min_expected = 192 * 1024;  // of a frame, to receive the next one's beginning only
constexpr std::size_t max_kept = 16;              // messages that wait for a coroutine
constexpr std::size_t max_kept_bytes = 64 * 1024;

bool owns_memory(net::Output& output) noexcept {
  return output.text().capacity() > std::string().capacity();
}

std::unique_ptr<websocket::Codec> make_codec(std::optional<websocket::DeflateTerms> terms, WebSocketHub& hub) {
  return terms ? std::make_unique<websocket::Codec>(*terms, hub.codecs()) : nullptr;
}

}  // namespace

WebSocketSession::WebSocketSession(WebSocketHub& hub, WebSocketCarrier& carrier, base::Box<http::SocketUpgrade> upgrade,
                                   std::optional<websocket::DeflateTerms> terms, HttpExchange* exchange)
    : hub_(hub),
      carrier_(&carrier),
      options_(*upgrade->options),
      limits_{options_.max_message},
      core_(limits_, make_codec(terms, hub)),
      socket_(std::move(upgrade->socket)),
      task_(std::move(upgrade->task)),
      handler_(std::move(upgrade->handler)),
      exchange_(exchange) {
  hub.add(*this);
}

WebSocketSession::~WebSocketSession() {
  hub_.worker().loop().disarm(*this);
  hub_.leave_all(*this);
  ended_ = true;
  socket_.link()->detach();
  task_ = {};  // first: its frame may refer to the request
  socket_.link()->close(core_.close_code());
  hub_.remove(*this);
  if (exchange_ != nullptr) hub_.worker().release(*exchange_);
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

// --- What comes
// --------------------------------------------------------------------------------------------------------

std::size_t WebSocketSession::on_bytes(std::span<const char> bytes) {
  const std::size_t granted = may_inflate();
  begin_reading(granted);
  // The bytes are the loop's own, which nobody else looks at again: a frame is unmasked where it lies.
  attempt([&] {
    core_.receive({const_cast<char*>(bytes.data()), bytes.size()});
    read();
  });
  const std::size_t consumed = core_.consumed();
  hub_.inflation().charge(granted - core_.inflation_budget());
  return end_reading() ? consumed : bytes.size();
}

// The rest of a large frame goes from the socket to where the message is collected.
bool WebSocketSession::on_direct_receive() {
  if (core_.awaited() < min_direct_receive) {
    carrier_->allow_direct_receive(false);
    if (core_.awaited() != 0) expect_large(false);
    return false;
  }
  if (has_to_pause()) {
    carrier_->pause();
    return true;
  }
  const std::size_t granted = may_inflate();
  begin_reading(granted);
  core_.receive({});
  const auto take = [this](std::span<char> to) { return carrier_->receive_into(to); };
  const auto spare = [this](std::size_t size) { return hub_.worker().loop().buffer_pool().take(size); };
  const auto next = [&](std::string& to) {
    core_.make_room(min_direct_receive, carrier_->arriving(), spare);
    return core_.take(to, max_direct_receive, take);
  };
  attempt([&] {
    if (dealt_with(next)) read();
  });
  hub_.inflation().charge(granted - core_.inflation_budget());
  end_reading();
  return true;
}

std::size_t WebSocketSession::may_inflate() noexcept {
  return core_.codec() != nullptr ? hub_.inflation().available() : 0;
}

// Goes on with a message that was too much for one round, and then with what was received behind it.
std::size_t WebSocketSession::on_inflation_turn(std::size_t budget) noexcept {
  begin_reading(budget);
  attempt([this] {
    core_.receive({});
    read();
  });
  const std::size_t used = budget - core_.inflation_budget();
  const bool goes_on = end_reading() && carrier_ != nullptr && carrier_->paused();
  if (goes_on && !core_.inflating() && !has_to_pause()) attempt([this] { carrier_->resume(); });
  return used;
}

void WebSocketSession::read_on() {
  if (core_.inflating()) return hub_.inflation().wait(*this);
  carrier_->resume();
}

void WebSocketSession::expect_large(bool large) noexcept {
  if (large == expects_large_ || carrier_ == nullptr) return;
  expects_large_ = large;
  carrier_->expect_large(large);
}

// Until end_reading(), at most so many bytes are inflated.
void WebSocketSession::begin_reading(std::size_t inflation_budget) {
  core_.set_inflation_budget(inflation_budget);
  heard_ = true;
  if (pinged_) watch_peer();  // it has answered, or might as well have
  ++busy_;
  reading_ = true;
}

// False where nothing will be read any more.
bool WebSocketSession::end_reading() {
  reading_ = false;
  attempt([this] { flush(); });
  const bool over = core_.closed();
  // Behind its close frame a peer sends nothing (RFC 6455, section 5.5.1).
  if (over && carrier_ != nullptr) carrier_->finish();
  if (!over && carrier_ != nullptr && core_.awaited() >= min_direct_receive) carrier_->allow_direct_receive(true);
  --busy_;
  return !over;
}

void WebSocketSession::read() {
  while (!has_to_pause()) {
    if (!dealt_with([this](std::string& to) { return core_.next(to); })) return;
  }
  carrier_->pause();
}

// The event that `next` finds; false where there is nothing behind it.
template <class F>
bool WebSocketSession::dealt_with(F&& next) {
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
        carrier_->pause();
        break;
      case websocket::Event::NeedMore: break;
    }
  } catch (const std::bad_alloc&) {  // the loop calls this, and no coroutine
    hub_.worker().shared().log.failure("a WebSocket's message could not be received", std::current_exception());
    if (carrier_ != nullptr) carrier_->abort();
  }
  return false;
}

// What a coroutine has not taken, and what the peer does not read of ours, makes it wait. Behind our close, messages
// are dropped, and it is the peer's close that is waited for.
bool WebSocketSession::has_to_pause() const noexcept {
  if (carrier_ == nullptr || !core_.may_write()) return false;
  const http::SocketLink& link = *socket_.link();
  if (!handler_ && (link.kept() >= max_kept || link.kept_bytes() >= max_kept_bytes)) return true;
  return carrier_->unsent() > options_.max_queued;
}

void WebSocketSession::take_message() {
  expect_large(core_.last_frame_size() >= min_expected);  // the next is probably like it
  if (handler_) return call_handler({core_.message(), core_.is_text()});
  http::SocketLink& link = *socket_.link();
  Message message{core_.take_message(), core_.is_text()};
  if (link.wanted()) return link.deliver(std::move(message));
  link.keep(std::move(message));
}

void WebSocketSession::call_handler(const MessageView& message) {
  guarded([&] {
    const std::uint16_t refused = handler_->message(socket_, message);
    if (refused != 0) close(refused, refused == websocket::UnsupportedData ? "text only" : "not what is expected");
  });
  // What is sent on of a message that was collected from pieces stays until it has left.
  if (core_.collected() && message.content.size() > net::Output::large) {
    hub_.worker().loop().buffer_pool().give(pending_.take_ownership(core_.take_message()));
    wrote();
  }
}

// What a handler throws ends its WebSocket, and is told to the log only.
template <class F>
void WebSocketSession::guarded(F call) noexcept {
  try {
    call();
  } catch (...) {
    report(std::current_exception());
    close(websocket::InternalError, {});
  }
}

// Where the call finds no memory, this WebSocket ends without a handshake, and nothing else.
template <class F>
void WebSocketSession::attempt(F&& call) noexcept {
  try {
    call();
  } catch (const std::bad_alloc&) {
    if (carrier_ != nullptr) carrier_->abort();
  }
}

void WebSocketSession::on_iteration_end() noexcept {
  attempt([this] { flush(); });
}

void WebSocketSession::report(const std::exception_ptr& error) noexcept {
  hub_.worker().shared().log.failure("a WebSocket's handler failed", error);
}

void WebSocketSession::took_message() {
  if (reading_ || carrier_ == nullptr || !carrier_->paused() || has_to_pause()) return;
  read_on();
}

// A connection that ends without a close frame (RFC 6455, section 7.1.5).
void WebSocketSession::on_end() {
  ++busy_;
  ended(websocket::Abnormal, {});
  attempt([this] { carrier_->finish(); });
  --busy_;
}

void WebSocketSession::on_closed() {
  ++busy_;
  if (exchange_ != nullptr) exchange_->disconnect();  // as long as there is somebody to ask
  carrier_ = nullptr;
  InflationQueue::Waiter::unlink();
  ended(websocket::Abnormal, {});
  --busy_;
  leave_if_over();
}

// --- What goes
// ---------------------------------------------------------------------------------------------------------

std::string& WebSocketSession::out() {
  if (pending_.empty() && !owns_memory(pending_)) pending_ = hub_.take_output();
  return pending_.text();
}

void WebSocketSession::wrote() {
  const std::size_t most = std::min(max_passing, std::max(max_pending, options_.max_queued));
  if (pending_.text().size() >= max_pending || pending_.size() >= most) return flush();
  if (!reading_) hub_.worker().loop().at_iteration_end(*this);
}

void WebSocketSession::flush() {
  if (carrier_ == nullptr) return;
  if (!pending_.empty()) {
    carrier_->send(pending_);
    if (carrier_->waits()) waiting_ = true;
  }
  if (!reading_ && owns_memory(pending_)) hub_.give_back(std::exchange(pending_, {}));
}

std::size_t WebSocketSession::queued() const noexcept {
  return carrier_ == nullptr ? 0 : carrier_->unsent() + pending_.size();
}

// One message is always taken, however large. Where there is no room, on_sent() will follow.
bool WebSocketSession::has_room(std::size_t bytes) {
  const auto fits = [&] {
    const std::size_t before = carrier_->unsent();
    return before == 0 || before + pending_.size() + bytes <= options_.max_queued;
  };
  if (fits()) return true;
  if (!carrier_->waits()) {  // it is not the peer who is slow
    carrier_->push();
    if (fits()) return true;
  }
  waiting_ = true;
  return false;
}

bool WebSocketSession::waits_when_full() const noexcept {
  return options_.when_full == WhenFull::Wait;
}

SendStatus WebSocketSession::send(std::string_view content, bool is_text) {
  if (carrier_ == nullptr || ended_ || !core_.may_write()) return SendStatus::Closed;
  if (!has_room(content.size())) {
    if (options_.when_full != WhenFull::Close) return SendStatus::Dropped;
    close(websocket::PolicyViolation, "too slow");
    return SendStatus::Closed;
  }
  const auto opcode = is_text ? websocket::Opcode::Text : websocket::Opcode::Binary;
  if (reading_ && content.size() > net::Output::large && core_.codec() == nullptr && core_.came_from_peer(content)) {
    // What came in is sent on from where it lies: all leaves before on_bytes() returns; of a message that was
    // collected, once that is kept.
    if (core_.collected() && pending_.size() >= max_passing) flush();
    std::string& to = out();
    pending_.expect_body();  // no head without its payload, should memory be short
    core_.begin(to, opcode, content.size());
    pending_.append_borrowed(content);
    if (!core_.collected()) wrote();
  } else {
    core_.write(out(), opcode, content);
    wrote();
  }
  return SendStatus::Sent;
}

int WebSocketSession::deflate_bits() const noexcept {
  const websocket::Codec* codec = core_.codec();
  return codec != nullptr ? codec->terms().server_bits : 0;
}

void WebSocketSession::deliver(std::string_view frame, bool deflated) noexcept {
  if (carrier_ == nullptr || ended_ || !core_.may_write()) return;
  attempt([&] {
    if (!has_room(frame.size())) {
      if (options_.when_full == WhenFull::Close) close(websocket::PolicyViolation, "too slow");
      return;
    }
    out().append(frame);
    if (deflated) core_.codec()->skipped();
    wrote();
  });
}

void WebSocketSession::on_sent() {
  ++busy_;
  const bool waited = waiting_;
  waiting_ = false;
  socket_.link()->room().set();
  if (waited && handler_ && !ended_) guarded([this] { handler_->drained(socket_); });
  if (carrier_ != nullptr && carrier_->paused() && !has_to_pause()) attempt([this] { read_on(); });
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

// --- The end
// -----------------------------------------------------------------------------------------------------------

// Begins the closing handshake. The peer's answer is waited for no longer than close_timeout.
void WebSocketSession::close(std::uint16_t code, std::string_view reason) noexcept {
  if (carrier_ == nullptr || ended_ || !core_.may_write()) return;
  attempt([&] {
    core_.close(out(), code, reason);
    wrote();
  });
  hub_.leave_all(*this);
  hub_.worker().loop().arm(*this, options_.close_timeout);
  pinged_ = false;
  ++busy_;
  socket_.link()->close(code);
  --busy_;
  if (!reading_ && carrier_ != nullptr && carrier_->paused()) attempt([this] { carrier_->resume(); });
}

void WebSocketSession::drain() {
  close(websocket::GoingAway, "the server stops");
}

// Tells the handler, once.
void WebSocketSession::ended(std::uint16_t code, std::string_view reason) {
  if (std::exchange(ended_, true)) return;
  hub_.leave_all(*this);
  hub_.worker().loop().disarm(*this);
  std::array<char, websocket::max_control_payload> kept;  // the core may use its own again
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

// When neither the connection nor the coroutine needs it, nor anybody who calls.
void WebSocketSession::leave_if_over() {
  if (busy_ != 0 || carrier_ != nullptr || running_) return;
  Worker& worker = hub_.worker();
  delete this;
  worker.socket_gone();
}

// --- The peer
// ----------------------------------------------------------------------------------------------------------

void WebSocketSession::watch_peer() {
  heard_ = false;
  pinged_ = false;
  if (options_.ping.count() != 0) hub_.worker().loop().arm(*this, options_.ping);
}

Milliseconds WebSocketSession::patience() const noexcept {
  return options_.ping.count() == 0 ? options_.ping : options_.ping + options_.pong;
}

void WebSocketSession::on_timer() noexcept {
  if (carrier_ != nullptr) attempt([this] { peer_is_silent(); });
}

// For a while; or it has not answered our close.
void WebSocketSession::peer_is_silent() {
  const bool excused = carrier_->silences();
  const bool progresses = carrier_->progresses();
  if (core_.closing() || core_.closed()) {
    if (excused) return hub_.worker().loop().arm(*this, options_.close_timeout);
    return carrier_->abort();
  }
  if (heard_ || excused || progresses) return watch_peer();
  if (pinged_) return carrier_->abort();
  pinged_ = true;
  core_.ping(out(), {});
  wrote();
  hub_.worker().loop().arm(*this, options_.pong);
}

}  // namespace tern::server
