#include "server/http2_connection.hpp"

#include "server/connection.hpp"
#include "server/http2.hpp"
#include "server/http2_stream.hpp"
#include "server/worker.hpp"

#include <string>
#include <utility>

namespace tern::server {
namespace {

constexpr Milliseconds last_chance = Seconds(1);  // for the client to show that it knows of a drain

}  // namespace

bool has_http2() noexcept {
  return true;
}

bool is_http2_preface(std::string_view bytes) noexcept {
  return bytes.starts_with(http2::preface_line);
}

std::unique_ptr<Protocol> make_http2(Connection& connection) {
  return std::make_unique<Http2Connection>(connection);
}

Http2Connection::Http2Connection(Connection& connection)
    : connection_(connection), session_(connection.worker().shared().settings.http2, *this) {
  watch(Watch::Greeting, worker().shared().settings.head_timeout);
  wake();  // our settings
}

Http2Connection::~Http2Connection() {
  worker().loop().disarm(*this);
}

Worker& Http2Connection::worker() noexcept {
  return connection_.worker();
}

std::size_t Http2Connection::on_bytes(std::span<const char> bytes) {
  ++heard_;
  if (worker().draining()) drain();
  busy_ = true;
  if (session_.receive({bytes.data(), bytes.size()}, worker().loop().now())) {
    look();
  } else {
    lose_streams();
  }
  busy_ = false;
  flush();
  return bytes.size();
}

bool Http2Connection::is_heard(std::uint64_t& mark) {
  session_.ping();
  wake();
  return std::exchange(mark, heard_) != heard_;
}

http2::Stream* Http2Connection::open_stream() {
  if (watch_ == Watch::Idle) watch_ = Watch::None;  // however short it is: a new period begins behind it
  HeldExchange exchange = worker().take_exchange();
  auto* stream = new Http2Stream(*this, *exchange);
  static_cast<void>(exchange.release());  // the stream's now
  stream->next = streams_;
  stream->previous = &streams_;
  if (streams_ != nullptr) streams_->previous = &stream->next;
  streams_ = stream;
  return stream;
}

void Http2Connection::look() {
  while (http2::Stream* next = session_.next()) {
    auto* stream = static_cast<Http2Stream*>(next);
    const http2::Happened happened = http2::Session::take_happened(*stream);
    stream->on(happened);
    if (!happened.closed) continue;
    *stream->previous = stream->next;
    if (stream->next != nullptr) stream->next->previous = stream->previous;
    delete stream;
  }
}

void Http2Connection::wake() noexcept {
  if (!busy_ && !finished_) worker().loop().at_iteration_end(*this);
}

void Http2Connection::push() {
  if (finished_ || !connection_.stream().is_open()) return;
  while (send_some()) {
  }
  wake();
}

// Whether the session had something to say, and the socket took it.
bool Http2Connection::send_some() {
  if (connection_.stream().unsent() != 0) return false;
  net::Output& output = connection_.output();
  session_.send(output.text());
  if (output.empty()) return false;
  connection_.flush();
  return true;
}

// What the session has to say, as long as the socket takes it.
void Http2Connection::flush() {
  if (finished_ || !connection_.stream().is_open()) return;
  busy_ = true;
  look();  // at what a push() has done
  while (send_some()) look();
  busy_ = false;
  if (session_.failed()) lose_streams();
  if (session_.done() || (peer_ended_ && session_.streams() == 0)) {
    finished_ = true;
    watch_ = Watch::None;
    return connection_.finish();
  }
  watch();
}

void Http2Connection::on_sent() {
  flush();
}

// HTTP/2 knows no half-closed connections: a client that has ended its side has gone.
void Http2Connection::on_end() {
  peer_ended_ = true;
  for (Http2Stream* stream = streams_; stream != nullptr; stream = stream->next) stream->client_gone();
  flush();
}

void Http2Connection::on_closed(std::error_code) {
  finished_ = true;
  lose_streams();
  while (streams_ != nullptr) delete std::exchange(streams_, streams_->next);
}

void Http2Connection::lose_streams() {
  for (Http2Stream* stream = streams_; stream != nullptr; stream = stream->next) stream->lost();
}

void Http2Connection::give_up(http2::ErrorCode why) {
  session_.terminate(why);
  flush();
}

void Http2Connection::drain() {
  session_.drain();
  for (Http2Stream* stream = streams_; stream != nullptr; stream = stream->next) stream->drain();
  if (watch_ != Watch::Drain && !session_.refusing_streams()) watch(Watch::Drain, last_chance);
  wake();
}

// --- Timeouts ---

std::optional<Milliseconds> Http2Connection::patience() const {
  std::optional<Milliseconds> longest;
  bool endless = false;
  for (const Http2Stream* stream = streams_; stream != nullptr; stream = stream->next) {
    const std::optional<Milliseconds> one = stream->patience();
    if (!one) return std::nullopt;
    endless = endless || one->count() == 0;
    longest = std::max(longest.value_or(*one), *one);
  }
  return endless ? std::optional(Milliseconds(0)) : longest;
}

// Between two calls: what the connection waits for by itself. Streams have timers of their own.
void Http2Connection::watch() {
  const Settings& settings = worker().shared().settings;
  if (watch_ == Watch::Drain && !session_.refusing_streams()) return;
  if (!session_.greeted()) return;
  if (session_.within_head()) {
    if (watch_ != Watch::Head) watch(Watch::Head, settings.head_timeout);
  } else if (session_.streams() == 0) {
    if (watch_ != Watch::Idle) watch(Watch::Idle, settings.idle_timeout);
  } else {
    watch_ = Watch::None;
  }
}

// The timer is moved only when the deadline comes nearer: most are never reached.
void Http2Connection::watch(Watch what, Milliseconds timeout) {
  net::Loop& loop = worker().loop();
  watch_ = timeout.count() == 0 ? Watch::None : what;
  if (watch_ == Watch::None) return;
  const std::uint64_t before = std::exchange(deadline_, loop.now() + static_cast<std::uint64_t>(timeout.count()));
  if (!armed() || deadline_ < before) loop.arm(*this, timeout);
}

void Http2Connection::on_timer() noexcept {
  if (watch_ == Watch::None || finished_) return;
  const std::uint64_t now = worker().loop().now();
  if (now < deadline_) return worker().loop().arm(*this, Milliseconds(static_cast<std::int64_t>(deadline_ - now)));
  connection_.attempt([this] { expired(); });
}

void Http2Connection::on_iteration_end() noexcept {
  connection_.attempt([this] { flush(); });
}

void Http2Connection::expired() {
  switch (std::exchange(watch_, Watch::None)) {
    case Watch::None: break;
    case Watch::Greeting: return connection_.stream().close();
    case Watch::Head: return give_up(http2::ErrorCode::EnhanceYourCalm);
    case Watch::Idle:
    case Watch::Drain: session_.refuse_streams(); return flush();
  }
}

}  // namespace tern::server
