#include "exchange/http2_connection.hpp"

#include "exchange/connection.hpp"
#include "exchange/http2.hpp"
#include "exchange/http2_stream.hpp"
#include "exchange/loop_context.hpp"

#include <string>
#include <utility>

namespace tern::exchange {
namespace {

constexpr Milliseconds last_chance = Seconds(1);  // for the client to acknowledge a drain

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
    : Deadline(connection.context().loop()),
      connection_(connection),
      session_(connection.context().settings().http2, *this) {
  set_deadline(Purpose::Greeting, context().settings().head_timeout);
  wake();  // our settings
}

Http2Connection::~Http2Connection() {
  count();
  if (counted_busy_) --context().counters().busy_http2;
}

// What the session has counted since the last call.
void Http2Connection::count() noexcept {
  LoopCounters& counters = context().counters();
  counters.http2_resets_received +=
      session_.resets_received() - std::exchange(resets_received_, session_.resets_received());
  counters.http2_resets_sent += session_.resets_sent() - std::exchange(resets_sent_, session_.resets_sent());
  if (session_.sent_fault() && !std::exchange(counted_fault_, true)) counters.refuse(Refusal::Http2Connection);
  const bool is_busy = session_.streams() != 0;
  if (is_busy == counted_busy_) return;
  counted_busy_ = is_busy;
  counters.busy_http2 += is_busy ? 1 : -1;
}

LoopContext& Http2Connection::context() noexcept {
  return connection_.context();
}

std::size_t Http2Connection::on_bytes(std::span<const char> bytes) {
  ++heard_;
  if (context().draining()) drain();
  busy_ = true;
  if (session_.receive({bytes.data(), bytes.size()}, context().loop().now())) {
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
  if (deadline() == Purpose::Idle) clear_deadline();  // even a short period ends here: a new one begins afterwards
  HeldExchange exchange = context().take_exchange();
  auto* stream = new Http2Stream(*this, *exchange);
  static_cast<void>(exchange.release());  // the stream owns it now
  streams_.push_front(*stream);
  ++context().counters().http2_streams;
  return stream;
}

void Http2Connection::look() {
  while (http2::Stream* next = session_.next()) {
    auto* stream = static_cast<Http2Stream*>(next);
    const http2::StreamEvents happened = http2::Session::take_events(*stream);
    stream->on(happened);
    if (!happened.closed) continue;
    base::IntrusiveList<Http2Stream>::remove(*stream);
    delete stream;
  }
}

void Http2Connection::wake() noexcept {
  if (!busy_ && !finished_) context().loop().at_iteration_end(*this);
}

void Http2Connection::push() {
  if (finished_ || !connection_.stream().is_open()) return;
  while (send_some()) {
  }
  wake();
}

// Whether the session had output, and the socket accepted it.
bool Http2Connection::send_some() {
  if (connection_.stream().unsent() != 0) return false;
  net::Output& output = connection_.begin_writing();
  session_.send(output.text());
  if (output.empty()) return false;
  connection_.flush();
  return true;
}

// Sends the session's output as long as the socket accepts it.
void Http2Connection::flush() {
  if (finished_ || !connection_.stream().is_open()) return;
  busy_ = true;
  look();  // at the results of a push()
  while (send_some()) look();
  busy_ = false;
  if (session_.failed()) lose_streams();
  if (session_.done() || (peer_ended_ && session_.streams() == 0)) {
    finished_ = true;
    clear_deadline();
    return connection_.finish();
  }
  watch();
}

void Http2Connection::on_sent() {
  flush();
}

// HTTP/2 has no half-closed connections: a client that has ended its side has disconnected.
void Http2Connection::on_end() {
  peer_ended_ = true;
  streams_.for_each([](Http2Stream& stream) { stream.client_gone(); });
  flush();
}

void Http2Connection::on_closed(std::error_code) {
  finished_ = true;
  lose_streams();
  streams_.for_each([](Http2Stream& stream) {
    base::IntrusiveList<Http2Stream>::remove(stream);
    delete &stream;
  });
}

void Http2Connection::lose_streams() {
  streams_.for_each([](Http2Stream& stream) { stream.lost(); });
}

void Http2Connection::give_up(http2::ErrorCode why) {
  session_.terminate(why);
  flush();
}

void Http2Connection::drain() {
  session_.drain();
  streams_.for_each([](Http2Stream& stream) { stream.drain(); });
  if (deadline() != Purpose::Drain && !session_.refusing_streams()) set_deadline(Purpose::Drain, last_chance);
  wake();
}

// --- Timeouts ---

std::optional<Milliseconds> Http2Connection::patience() const {
  std::optional<Milliseconds> longest;
  bool endless = false;
  for (const Http2Stream* stream = streams_.first(); stream != nullptr; stream = streams_.next(*stream)) {
    const std::optional<Milliseconds> one = stream->patience();
    if (!one) return std::nullopt;
    endless = endless || one->count() == 0;
    longest = std::max(longest.value_or(*one), *one);
  }
  return endless ? std::optional(Milliseconds(0)) : longest;
}

// Between two calls: the deadline of the connection. Streams have timers of their own.
void Http2Connection::watch() {
  count();
  const Settings& settings = context().settings();
  if (deadline() == Purpose::Drain && !session_.refusing_streams()) return;
  if (!session_.preface_received()) return;
  if (session_.within_head()) {
    if (deadline() != Purpose::Head) set_deadline(Purpose::Head, settings.head_timeout);
  } else if (session_.streams() == 0) {
    if (deadline() != Purpose::Idle) set_deadline(Purpose::Idle, settings.idle_timeout);
  } else {
    clear_deadline();
  }
}

void Http2Connection::on_deadline(Purpose purpose) noexcept {
  if (!finished_) connection_.attempt([this, purpose] { expire(purpose); });
}

void Http2Connection::on_iteration_end() noexcept {
  connection_.attempt([this] { flush(); });
}

void Http2Connection::expire(Purpose purpose) {
  switch (purpose) {
    case Purpose::None: break;
    case Purpose::Greeting: return connection_.stream().close();
    case Purpose::Head: return give_up(http2::ErrorCode::EnhanceYourCalm);
    case Purpose::Idle:
    case Purpose::Drain: session_.refuse_streams(); return flush();
  }
}

}  // namespace tern::exchange
