#include "server/http2_stream.hpp"

#include "http/unavailable.hpp"
#include "server/connection.hpp"
#include "server/exchange.hpp"
#include "server/http2_connection.hpp"
#include "server/http2_websocket.hpp"
#include "server/log.hpp"
#include "server/websocket_hub.hpp"
#include "server/websocket_session.hpp"
#include "server/worker.hpp"
#include "websocket/handshake.hpp"

#include <tern/base/ascii.hpp>

#include <new>
#include <string>
#include <utility>

namespace tern::server {

namespace {

constexpr Milliseconds rest_time = Seconds(2);  // for content behind the answer

}  // namespace

Http2Stream::Http2Stream(Http2Connection& connection, HttpExchange& exchange)
    : Stream(exchange.request().head(), exchange.arena()), connection_(connection), exchange_(&exchange) {
  exchange.request().head().clear();
}

Http2Stream::~Http2Stream() {
  connection_.worker().loop().disarm(*this);
}

void Http2Stream::on(http2::Happened happened) {
  if (happened.answered && exchange_ != nullptr) end_exchange();
  if (happened.closed) return lost();
  if (happened.request) begin();
  if (websocket_) return carry(happened);
  if (exchange_ == nullptr) return;
  if (happened.content && !happened.request) continue_exchange();
  if (happened.room && exchange_ != nullptr && exchange_->stream_) exchange_->stream_->wake();
}

void Http2Stream::lost() {
  watch_ = Watch::None;
  if (websocket_) websocket_->on_closed();
  HttpExchange* exchange = std::exchange(exchange_, nullptr);
  if (exchange == nullptr) return;
  state_ = State::Over;
  exchange->leave_host();
}

void Http2Stream::drain() {
  if (websocket_) return websocket_->drain();
  if (exchange_ != nullptr && exchange_->stream_ && exchange_->stream_->ends_with_peer()) exchange_->stop_.stop();
}

void Http2Stream::client_gone() {
  if (websocket_) return websocket_->on_end();
  if (state_ != State::Serving && state_ != State::Streaming) return;
  connection_.session().reset(*this, http2::ErrorCode::Cancel);
  lost();
}

// --- The request ---

void Http2Stream::begin() {
  HttpExchange& exchange = *exchange_;
  Worker& worker = connection_.worker();
  exchange.begin(*this, worker.shared().settings.limits);
  exchange.head_is_pinned();  // the session has read it into the arena
  if (worker.logs_access()) exchange.started_ = worker.microseconds();
  state_ = State::Serving;
  if (refused()) return answer_problem({refused()->status, std::string(refused()->detail), {}, {}});
  const bool is_tunnel = !protocol().empty();  // what comes is nothing that a handler reads
  if (is_tunnel && !base::equals_ignoring_case(protocol(), "websocket")) {
    return answer_problem({Status::NotImplemented, "this :protocol is not known here (RFC 8441)", {}, {}});
  }
  exchange.body_complete_ = exchange.ended_ = content_complete() || is_tunnel;
  if (content_refused()) exchange.fail({content_refused()->status, content_refused()->detail});
  exchange.announced_ = content_length().value_or(0);
  if (is_tunnel) {
    exchange.announced_ = 0;
  } else if (content_complete()) {
    exchange.announced_ = 0;
    if (unread() != 0) {
      connection_.session().read(*this, piece_);
      try {
        exchange.chunk_ = exchange.arena().copy(piece_);
      } catch (const std::bad_alloc&) {  // the loop calls this, and no coroutine
        return answer_problem(http::unavailable("there is no memory for the content"));
      }
      exchange.received_ = piece_.size();
    }
  }
  Reply reply = worker.shared().service.serve(exchange);
  if (reply.ready()) return respond(reply.response());
  if (exchange.start(std::move(reply.task()))) {
    Response response = exchange.task_.result();
    return respond(response);
  }
  if (!exchange.waiting_) wait_for_handler();
}

// An answer to what never became a request, or was given up.
void Http2Stream::answer_problem(const Problem& problem) {
  Response response = connection_.worker().shared().service.refuse(problem);
  respond(response);
}

void Http2Stream::continue_exchange() {
  if (state_ != State::Serving) return;
  if (exchange_->waiting_ && pull(*exchange_)) exchange_->wake();
  if (exchange_ != nullptr && state_ == State::Serving && !exchange_->waiting_) wait_for_handler();
}

bool Http2Stream::pull(HttpExchange& exchange) {
  if (exchange.error_ || exchange.ended_) return true;
  if (content_length().value_or(0) > exchange.limits_.body) {
    exchange.fail(StreamError::TooLarge);
  } else if (unread() != 0) {
    connection_.session().read(*this, piece_);
    connection_.wake();  // the window
    exchange.chunk_ = piece_;
    exchange.received_ += piece_.size();
    if (exchange.received_ > exchange.limits_.body) exchange.fail(StreamError::TooLarge);
  } else if (content_refused()) {
    exchange.fail({content_refused()->status, content_refused()->detail});
  } else if (content_complete()) {
    exchange.ended_ = true;
  } else {
    return false;
  }
  return true;
}

void Http2Stream::content_is_wanted(HttpExchange& exchange) {
  if (!expects_continue() || content_length().value_or(0) > exchange.limits_.body) return;
  inform(Status::Continue, {});
}

void Http2Stream::wait_for_content() {
  if (watch_ == Watch::Content) return;  // the period goes on, or a byte now and then would restart it for ever
  seen_ = exchange_->received_;
  watch(Watch::Content, rate_period());
}

// --- The answer ---

void Http2Stream::inform(Status status, const Fields& fields) {
  if (state_ != State::Serving) return;
  connection_.session().inform(*this, status, &fields);
  connection_.wake();
}

void Http2Stream::complete(Response response) {
  respond(response);
}

void Http2Stream::respond(Response& response) {
  HttpExchange& exchange = *exchange_;
  Worker& worker = connection_.worker();
  if (response.status() == Status::SwitchingProtocols && response.producer() != nullptr) {
    return carry_websocket(response);
  }
  if (!protocol().empty() && code(response.status()) / 100 == 2) {
    // To the client it would be a WebSocket (RFC 8441, section 5).
    response = worker.shared().service.refuse(Problem{Status::BadRequest, "there is no WebSocket here", {}, {}});
  } else if (code(response.status()) < 200 || code(response.status()) > 599) {
    exchange.report("a handler answered with a status that is no final one: " +
                    std::to_string(code(response.status())));
    response = worker.shared().service.refuse(Problem{Status::InternalServerError, {}, {}, {}});
  }
  // What the client does not read is held until the end; where there is no room for that, nothing large is begun.
  const std::size_t owned = response.borrows() ? 0 : response.content().size();
  if (owned > net::Output::large && owned > exchange.charged_ && !exchange.charge(owned - exchange.charged_)) {
    response = worker.shared().service.refuse(http::unavailable("unread answers hold all memory for contents"));
  }
  exchange.after_ = response.take_after();
  watch_ = Watch::None;  // it was about the request
  connection_.session().discard(*this);
  connection_.wake();
  if (response.producer() != nullptr) return begin_stream(response);
  state_ = State::Sending;
  status_ = response.status();
  size_ = response.content().size();
  const http2::ResponseHead head{response.status(), &response.fields(), response.literal_type(), worker.date(),
                                 worker.shared().settings.server_name};
  if (response.borrows()) {
    connection_.session().answer_borrowed(*this, head, response.content());
  } else {
    connection_.session().answer(*this, head, response.take_owned());
  }
  watch_answer();
}

// The head, and the producer starts. Nothing is left to do where no content is sent (HEAD).
void Http2Stream::begin_stream(Response& response) {
  Worker& worker = connection_.worker();
  status_ = response.status();
  const http2::ResponseHead head{response.status(), &response.fields(), response.literal_type(), worker.date(),
                                 worker.shared().settings.server_name};
  if (!connection_.session().respond(*this, head)) {
    state_ = State::Sending;
    return;
  }
  state_ = State::Streaming;
  if (exchange_->start_stream(response)) return end_stream();
}

// What is no handshake is answered like any other request. Otherwise the 200 and the first messages leave together.
void Http2Stream::carry_websocket(Response& response) {
  HttpExchange& exchange = *exchange_;
  Worker& worker = connection_.worker();
  base::Box<http::SocketUpgrade> upgrade = response.take_upgrade();
  Fields fields;
  auto agreed = websocket::shake(exchange.request(), rules_of(*upgrade->options), fields);
  if (protocol().empty() && agreed) {
    agreed = std::unexpected(Problem{Status::BadRequest, "a WebSocket begins with an extended CONNECT", {}, {}});
  }
  if (worker.draining()) agreed = std::unexpected(http::unavailable("the server stops"));
  if (!agreed) {
    upgrade.reset();
    Response refusal = worker.shared().service.refuse(agreed.error());
    return respond(refusal);
  }
  for (const Field& field : response.fields()) fields.add(field.name, field.value);
  status_ = Status::Ok;
  connection_.session().respond(
      *this, {status_, &fields, response.literal_type(), worker.date(), worker.shared().settings.server_name});
  // Messages are short and somebody waits for them. By default they would wait for every answer that began before.
  if (!exchange.request().field("priority")) connection_.session().prefer(*this);
  connection_.session().stand_alone(*this);  // or a few that are not read would silence all others
  exchange.after_ = response.take_after();
  watch_ = Watch::None;
  state_ = State::Carrying;
  exchange_ = nullptr;
  if (worker.logs_access()) worker.log_access(exchange, status_, 0);
  HeldExchange held(&exchange, {&worker});
  HttpExchange* const kept = upgrade->keeps_request ? &exchange : nullptr;
  websocket_ = std::make_unique<Http2WebSocket>(*this);
  auto* session = new WebSocketSession(worker.sockets(), *websocket_, std::move(upgrade), agreed->deflate, kept);
  if (kept != nullptr) static_cast<void>(held.release());  // the session's now
  held.reset();
  websocket_->start(*session, std::move(agreed->protocol));
  connection_.wake();
}

// When our side has ended, the client's is waited for no longer than any content behind an answer.
void Http2Stream::carry(http2::Happened happened) {
  if (happened.content) websocket_->on_content();
  if (happened.room) websocket_->on_room();
  if (!happened.answered || content_complete()) return;
  if (!connection_.peer_ended()) return watch(Watch::Rest, rest_time);
  connection_.session().reset(*this, http2::ErrorCode::None);
  connection_.wake();
}

// The producer has ended. When it has failed, the client must be able to tell.
void Http2Stream::end_stream() {
  ResponseStream& stream = *exchange_->stream_;
  if (stream.succeeded(connection_.worker().draining())) {
    stream.finish();
  } else {
    connection_.session().reset(*this, http2::ErrorCode::Internal);
  }
  size_ = stream.bytes();
  state_ = State::Sending;
  exchange_->stream_.reset();
  connection_.wake();
}

void Http2Stream::send_framed(net::Output& buffer) {
  buffer.visit([this](std::string_view piece) { connection_.session().write(*this, piece); });
  buffer.clear();
  watch_answer();
  connection_.wake();
}

void Http2Stream::frame_end(net::Output& buffer, const Fields& trailers) {
  send_framed(buffer);
  connection_.session().finish(*this, trailers);
  watch_answer();
}

// The answer has left.
void Http2Stream::end_exchange() {
  watch_ = Watch::None;
  state_ = State::Over;
  HttpExchange& exchange = *std::exchange(exchange_, nullptr);
  Worker& worker = connection_.worker();
  if (worker.logs_access()) worker.log_access(exchange, status_, size_);
  exchange.give_scratch(take_owned());
  worker.release(exchange);
  if (!content_complete()) watch(Watch::Rest, rest_time);
}

const net::Address& Http2Stream::remote() const noexcept {
  return connection_.connection().remote();
}

const tls::Session* Http2Stream::session() const noexcept {
  return connection_.connection().session();
}

std::string_view Http2Stream::scheme() const noexcept {
  return connection_.connection().scheme();
}

// --- Timeouts: those of HTTP/1.1, each stream its own ---

void Http2Stream::watch(Watch what, Milliseconds timeout) {
  net::Loop& loop = connection_.worker().loop();
  watch_ = timeout.count() == 0 ? Watch::None : what;
  if (watch_ == Watch::None) return;
  deadline_ = loop.now() + static_cast<std::uint64_t>(timeout.count());
  loop.arm(*this, timeout);
}

void Http2Stream::out_of_memory() noexcept {
  connection_.connection().out_of_memory();
}

void Http2Stream::on_timer() noexcept {
  connection_.connection().attempt([this] { expired(); });
}

void Http2Stream::expired() {
  switch (std::exchange(watch_, Watch::None)) {
    case Watch::None: break;
    case Watch::Content: check_content_rate(); break;
    case Watch::Handler: handler_expired(); break;
    case Watch::Answer: check_answer_rate(); break;
    case Watch::Rest:
      connection_.session().reset(*this, http2::ErrorCode::None);
      connection_.wake();
      break;
  }
}

void Http2Stream::wait_for_handler() {
  if (watch_ != Watch::Handler) watch(Watch::Handler, exchange_->limits_.answer);
}

// The exchange goes its own way, and the client is told.
void Http2Stream::handler_expired() {
  if (exchange_ == nullptr || state_ != State::Serving) return;
  Worker& worker = connection_.worker();
  HeldExchange answering = worker.take_exchange();
  std::exchange(exchange_, answering.release())->disconnect();
  exchange_->begin(*this, worker.shared().settings.limits);
  if (worker.logs_access()) exchange_->started_ = worker.microseconds();
  answer_problem(http::unavailable("the answer took too long"));
}

Milliseconds Http2Stream::rate_period() const {
  const Settings& settings = connection_.worker().shared().settings;
  return settings.min_data_rate == 0 ? Milliseconds(0) : settings.grace;
}

bool Http2Stream::fast_enough(std::uint64_t bytes) const {
  const Settings& settings = connection_.worker().shared().settings;
  return bytes * 1000 >= settings.min_data_rate * static_cast<std::uint64_t>(settings.grace.count());
}

// Where other streams fill the connection's window, it is not this one's client that is slow.
void Http2Stream::check_content_rate() {
  if (exchange_ == nullptr || !exchange_->waiting_) return;
  const std::uint64_t got = exchange_->received_ - std::exchange(seen_, exchange_->received_);
  if (fast_enough(got) || connection_.session().window_is_full()) return watch(Watch::Content, rate_period());
  exchange_->fail(StreamError::TooSlow);
  exchange_->wake();
}

void Http2Stream::watch_answer() {
  if (watch_ == Watch::Answer || !outstanding()) return;
  seen_ = delivered();
  seen_all_ = connection_.session().delivered();
  progressed_ = connection_.worker().loop().now();
  watch(Watch::Answer, rate_period());
}

std::optional<Milliseconds> Http2Stream::patience() const {
  if (state_ == State::Carrying) return websocket_->patience();
  const bool is_event_stream =
      state_ == State::Streaming && exchange_ != nullptr && exchange_->stream_ && exchange_->stream_->ends_with_peer();
  return is_event_stream ? std::optional(connection_.worker().shared().settings.stall_timeout) : std::nullopt;
}

// Only for lack of a window is it the client who is slow: its own, or the connection's, which others may be using. (How
// fast the socket is read is watched by the connection.)
void Http2Stream::check_answer_rate() {
  if (closed() || !outstanding()) return;
  const http2::Session& session = connection_.session();
  const std::uint64_t own = delivered() - std::exchange(seen_, delivered());
  const std::uint64_t all = session.delivered() - std::exchange(seen_all_, session.delivered());
  const std::uint64_t now = connection_.worker().loop().now();
  if (own != 0) progressed_ = now;
  const std::optional<Milliseconds> patient = patience();
  const bool slow =
      patient ? (session.lacks_window(*this) || session.lacks_window()) && has_stalled(*patient, progressed_, now)
      : session.lacks_window(*this) ? !fast_enough(own)
                                    : session.lacks_window() && !fast_enough(all);
  if (!slow) return watch(Watch::Answer, rate_period());
  connection_.session().reset(*this, http2::ErrorCode::Cancel);
  connection_.wake();
}

}  // namespace tern::server
