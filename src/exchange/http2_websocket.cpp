#include "exchange/http2_websocket.hpp"

#include "exchange/http2_connection.hpp"
#include "exchange/http2_stream.hpp"
#include "exchange/loop_context.hpp"
#include "websockets/session.hpp"

#include <tern/http/fields.hpp>

#include <new>
#include <span>
#include <utility>

namespace tern::exchange {
namespace {

constexpr std::size_t max_idle = 4 * 1024;  // bytes of memory that an idle WebSocket keeps

}  // namespace

void Http2WebSocket::start(websockets::WebSocketSession& session, std::string protocol) {
  session_ = &session;
  resume();
  session.start(std::move(protocol));
}

// --- Receiving ---

auto Http2WebSocket::consumer() noexcept {
  return [this](std::span<const char> bytes) { return session_->on_bytes(bytes); };
}

// Unconsumed bytes come first: while they stay unconsumed, nothing is read, and the stream's window stays closed.
void Http2WebSocket::feed() {
  if (session_ == nullptr || paused_ || finished_ || feeding_) return;
  feeding_ = true;
  try {
    input_.redeliver(consumer());
    if (!paused_ && !finished_ && stream_.unread() != 0) read();
  } catch (const std::bad_alloc&) {  // for the unconsumed bytes
    abort();
  }
  if (!paused_ && !finished_ && (stream_.content_complete() || cut_off_) && !std::exchange(ended_, true)) {
    session_->on_end();
  }
  feeding_ = false;
  if (finished_) input_.clear();
}

void Http2WebSocket::read() {
  stream_.connection_.session().read(stream_, piece_);
  stream_.connection_.wake();  // the window
  input_.deliver(piece_, 0, consumer(), [this] { return !finished_; });
  if (piece_.capacity() > max_idle) std::string().swap(piece_);
}

void Http2WebSocket::resume() {
  paused_ = false;
  stream_.connection_.context().loop().at_iteration_end(*this);
}

// Other streams may fill the windows of the connection, or be sent first. But HTTP/2 pings have no window: a client
// that does not answer those has disconnected.
bool Http2WebSocket::excuses_silence() {
  Http2Connection& connection = stream_.connection_;
  const http2::Session& session = connection.session();
  const bool stalled = paused_ || session.window_is_full() || (unsent() != 0 && !session.lacks_window(stream_));
  return stalled && connection.is_heard(heard_);
}

bool Http2WebSocket::progresses() {
  const std::uint64_t taken = stream_.delivered();
  return std::exchange(taken_, taken) != taken && unsent() != 0;
}

std::optional<Milliseconds> Http2WebSocket::patience() const noexcept {
  return finished_ || session_ == nullptr ? std::nullopt : std::optional(session_->patience());
}

void Http2WebSocket::on_end() {
  cut_off_ = true;
  if (session_ != nullptr) resume();  // a waiting coroutine would wait forever
}

void Http2WebSocket::drain() {
  if (session_ != nullptr) session_->drain();
}

// --- Sending ---

void Http2WebSocket::send(net::Output& output) {
  if (!finished_) {
    try {
      output.visit([this](std::string_view piece) { stream_.connection_.session().write(stream_, piece); });
      stream_.watch_answer();
      stream_.connection_.wake();
    } catch (const std::bad_alloc&) {  // for queued output
      abort();
    }
  }
  output.clear();
}

std::size_t Http2WebSocket::unsent() const noexcept {
  return static_cast<const http2::Stream&>(stream_).unsent();
}

bool Http2WebSocket::waits() const noexcept {
  const std::size_t waiting = unsent();
  if (waiting == 0) return false;
  return stream_.connection_.connection().stream().unsent() != 0 ||
         waiting > stream_.connection_.session().window(stream_);
}

void Http2WebSocket::push() {
  stream_.connection_.push();
}

void Http2WebSocket::on_room() {
  if (session_ != nullptr && unsent() == 0) session_->on_sent();
  if (unsent() == 0) stream_.connection_.session().trim(stream_);
}

// --- The end ---

// Drops input from the client while the stream waits for its end.
void Http2WebSocket::finish() {
  if (std::exchange(finished_, true)) return;
  http2::Session& session = stream_.connection_.session();
  session.finish(stream_, Fields());
  stream_.watch_answer();
  session.discard(stream_);
  stream_.connection_.wake();
}

void Http2WebSocket::abort() {
  finished_ = true;
  stream_.connection_.session().reset(stream_, http2::ErrorCode::Cancel);
  stream_.connection_.wake();
}

void Http2WebSocket::on_closed() {
  if (websockets::WebSocketSession* session = std::exchange(session_, nullptr)) session->on_closed();
}

}  // namespace tern::exchange
