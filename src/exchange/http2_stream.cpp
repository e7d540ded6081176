#include "exchange/http2_stream.hpp"

#include "exchange/connection.hpp"
#include "exchange/http2_connection.hpp"
#include "exchange/http2_websocket.hpp"
#include "exchange/http_exchange.hpp"
#include "exchange/loop_context.hpp"
#include "http/unavailable.hpp"
#include "logging/log.hpp"
#include "websocket/handshake.hpp"
#include "websockets/handshake_rules.hpp"
#include "websockets/hub.hpp"
#include "websockets/session.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/file_range.hpp>

#include <new>
#include <string>
#include <utility>

namespace tern::exchange {

namespace {

constexpr Milliseconds rest_time = Seconds(2);  // for content after the answer

}  // namespace

Http2Stream::Http2Stream(Http2Connection& connection, HttpExchange& exchange)
    : Stream(exchange.request().head(), exchange.arena()),
      Deadline(connection.context().loop()),
      connection_(connection),
      exchange_(&exchange) {
  exchange.request().head().clear();
}

Http2Stream::~Http2Stream() = default;

void Http2Stream::on(http2::StreamEvents happened) {
  if (happened.answered && exchange_ != nullptr) end_exchange();
  if (happened.closed) return lost();
  if (happened.request) begin();
  if (websocket_) return on_websocket(happened);
  if (exchange_ == nullptr) return;
  if (happened.content && !happened.request) continue_exchange();
  if (happened.room && exchange_ != nullptr && exchange_->stream() != nullptr) exchange_->stream()->wake();
}

void Http2Stream::lost() {
  clear_deadline();
  if (websocket_) websocket_->on_closed();
  HttpExchange* exchange = std::exchange(exchange_, nullptr);
  if (exchange == nullptr) return;
  state_ = State::Over;
  exchange->leave_host();
}

void Http2Stream::drain() {
  if (websocket_) return websocket_->drain();
  if (exchange_ != nullptr && exchange_->is_event_stream()) exchange_->stop_handler();
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
  exchange.begin(*this, Spoken::Http2);
  exchange.head_is_pinned();  // the session has stored it in the arena
  state_ = State::Serving;
  if (refused()) {
    connection_.context().counters().refuse(Refusal::Http2Request);
    return answer_problem({refused()->status, std::string(refused()->detail), {}, {}});
  }
  const bool is_tunnel = !protocol().empty();  // its content is not the handler's
  if (is_tunnel && !base::equals_ignoring_case(protocol(), "websocket")) {
    return answer_problem({Status::NotImplemented, "this :protocol is not known here (RFC 8441)", {}, {}});
  }
  if (is_tunnel) {
    exchange.set_content({});
  } else if (!content_complete()) {
    exchange.expect_content(content_length().value_or(0));
  } else if (!take_complete_content()) {
    return answer_problem(http::unavailable("there is no memory for the content"));
  }
  if (content_refused()) exchange.fail({content_refused()->status, content_refused()->detail});
  Reply reply = exchange.serve();
  if (Response* response = exchange.start(reply)) return respond(*response);
  if (!exchange.awaits_content()) wait_for_handler();
}

// False if there is no memory for a copy. (Called by the loop, not by a coroutine, which would report it.)
bool Http2Stream::take_complete_content() {
  if (unread() == 0) {
    exchange_->set_content({});
    return true;
  }
  connection_.session().read(*this, piece_);
  try {
    exchange_->set_content(exchange_->arena().copy(piece_));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

// An answer to a head that did not form a request, or was rejected.
void Http2Stream::answer_problem(const Problem& problem) {
  Response response = connection_.context().shared().service.refuse(problem);
  respond(response);
}

void Http2Stream::continue_exchange() {
  if (state_ != State::Serving) return;
  if (exchange_->awaits_content() && pull(*exchange_)) exchange_->wake();
  if (exchange_ != nullptr && state_ == State::Serving && !exchange_->awaits_content()) wait_for_handler();
}

bool Http2Stream::pull(HttpExchange& exchange) {
  if (exchange.content_settled()) return true;
  if (content_length().value_or(0) > exchange.limits().max_body_bytes) {
    exchange.fail(StreamError::TooLarge);
  } else if (unread() != 0) {
    connection_.session().read(*this, piece_);
    connection_.wake();  // the window
    exchange.offer_content(piece_);
  } else if (content_refused()) {
    exchange.fail({content_refused()->status, content_refused()->detail});
  } else if (content_complete()) {
    exchange.end_content();
  } else {
    return false;
  }
  return true;
}

void Http2Stream::content_is_wanted(HttpExchange& exchange) {
  if (!expects_continue() || content_length().value_or(0) > exchange.limits().max_body_bytes) return;
  inform(Status::Continue, {});
}

void Http2Stream::wait_for_content() {
  if (deadline() == Purpose::Content) return;  // rare single bytes must not restart the period
  progress_.start(exchange_->received(), connection_.context().loop().now());
  set_deadline(Purpose::Content, data_rate().time_to_next());
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
  LoopContext& context = connection_.context();
  if (response.status() == Status::SwitchingProtocols && response.producer() != nullptr) {
    return begin_websocket(response);
  }
  if (!protocol().empty() && code(response.status()) / 100 == 2) {
    // The client would take it for a WebSocket (RFC 8441, section 5).
    response = exchange.refuse_instead(Problem{Status::BadRequest, "there is no WebSocket here", {}, {}});
  }
  exchange.ensure_final(response);
  // The stream holds unread bytes until its end, so they are counted here.
  if (const std::size_t size = exchange.uncounted_bytes(response); size != 0 && !exchange.charge(size)) {
    context.counters().refuse(Refusal::ResponseMemory);
    response = exchange.refuse_instead(http::unavailable("unread answers hold all memory for contents"));
  }
  exchange.defer(response);
  clear_deadline();  // it belonged to the request
  connection_.session().discard(*this);
  connection_.wake();
  if (response.producer() != nullptr) return begin_stream(response);
  state_ = State::Sending;
  status_ = response.status();
  size_ = response.content().size();
  const http2::ResponseHead head{response.status(), &response.fields(), response.literal_type(), context.date(),
                                 context.settings().server_name};
  if (response.borrows()) {
    connection_.session().answer_borrowed(*this, head, response.content());
  } else {
    connection_.session().answer(*this, head, response.take_owned());
  }
  watch_answer();
}

// Writes the head and starts the producer. Nothing is left to do if no content is sent (HEAD).
void Http2Stream::begin_stream(Response& response) {
  LoopContext& context = connection_.context();
  status_ = response.status();
  const http2::ResponseHead head{response.status(),
                                 &response.fields(),
                                 response.literal_type(),
                                 context.date(),
                                 context.settings().server_name,
                                 response.producer()->length()};
  if (!connection_.session().respond(*this, head)) {
    state_ = State::Sending;
    return;
  }
  state_ = State::Streaming;
  if (exchange_->start_stream(response)) return end_stream();
}

// An invalid handshake is answered like any other request. Otherwise the 200 and the first messages leave together.
void Http2Stream::begin_websocket(Response& response) {
  HttpExchange& exchange = *exchange_;
  LoopContext& context = connection_.context();
  base::Box<http::SocketUpgrade> upgrade = response.take_upgrade();
  Fields fields;
  auto agreed = websocket::negotiate(exchange.request(), websockets::rules_of(*upgrade->options), fields);
  if (protocol().empty() && agreed) {
    agreed = std::unexpected(Problem{Status::BadRequest, "a WebSocket begins with an extended CONNECT", {}, {}});
  }
  if (context.draining()) agreed = std::unexpected(http::unavailable("the server stops"));
  if (!agreed) {
    upgrade.reset();
    Response refusal = exchange.refuse_instead(agreed.error());
    return respond(refusal);
  }
  for (const Field& field : response.fields()) fields.add(field.name, field.value);
  status_ = Status::Ok;
  connection_.session().respond(
      *this, {status_, &fields, response.literal_type(), context.date(), context.settings().server_name});
  // Messages are short and urgent. By default they would wait for all responses that began before.
  if (!exchange.request().field("priority")) connection_.session().prioritize(*this);
  connection_.session().exempt_from_connection_window(*this);  // or a few unread ones would block all others
  exchange.defer(response);
  clear_deadline();
  state_ = State::WebSocket;
  exchange_ = nullptr;
  exchange.complete(status_, 0);
  HeldExchange held(&exchange, {&context});
  HttpExchange* const kept = upgrade->keeps_request ? &exchange : nullptr;
  websocket_ = std::make_unique<Http2WebSocket>(*this);
  auto* session =
      new websockets::WebSocketSession(context.sockets(), *websocket_, std::move(upgrade), agreed->deflate, kept);
  if (kept != nullptr) static_cast<void>(held.release());  // the session owns it now
  held.reset();
  websocket_->start(*session, std::move(agreed->protocol));
  connection_.wake();
}

// When the server's side has ended, the client's may stay open no longer than any content after an answer.
void Http2Stream::on_websocket(http2::StreamEvents happened) {
  if (happened.content) websocket_->on_content();
  if (happened.room) websocket_->on_room();
  if (!happened.answered || content_complete()) return;
  if (!connection_.peer_ended()) return set_deadline(Purpose::Rest, rest_time);
  connection_.session().reset(*this, http2::ErrorCode::None);
  connection_.wake();
}

// The producer has ended. If it has failed, the client must notice.
void Http2Stream::end_stream() {
  ResponseStream& stream = *exchange_->stream();
  if (stream.succeeded(connection_.context().draining())) {
    stream.finish();
  } else {
    connection_.session().reset(*this, http2::ErrorCode::Internal);
  }
  size_ = stream.bytes();
  state_ = State::Sending;
  exchange_->end_stream();
  connection_.wake();
}

void Http2Stream::frame_file(net::Output& buffer, const http::FileRange& range) {
  buffer.append_file({range.file, range.offset, range.length});
}

void Http2Stream::send_framed(net::Output& buffer) {
  if (queue_ || buffer.has_files()) {
    if (!queue_) queue_ = std::make_unique<net::SendQueue>();
    const std::size_t size = buffer.size();
    queue_->take(buffer, 0);
    connection_.session().write_from(*this, *this, size);
  } else {
    buffer.visit([this](std::string_view piece) { connection_.session().write(*this, piece); });
    buffer.clear();
  }
  watch_answer();
  connection_.wake();
}

bool Http2Stream::read(std::span<char> into) {
  const bool is_read = queue_->read(into);
  if (!is_read && exchange_ != nullptr) exchange_->report("a streamed response broke off: a file has become shorter");
  if (queue_->size() == 0) queue_.reset();
  return is_read;
}

void Http2Stream::frame_end(net::Output& buffer, const Fields& trailers) {
  send_framed(buffer);
  connection_.session().finish(*this, trailers);
  watch_answer();
}

// The answer has been sent.
void Http2Stream::end_exchange() {
  clear_deadline();
  state_ = State::Over;
  HttpExchange& exchange = *std::exchange(exchange_, nullptr);
  exchange.give_scratch(take_owned());
  exchange.finish(status_, size_);
  if (!content_complete()) set_deadline(Purpose::Rest, rest_time);
}

std::string_view Http2Stream::listener() const noexcept {
  return connection_.connection().listener();
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

void Http2Stream::out_of_memory() noexcept {
  connection_.connection().out_of_memory();
}

void Http2Stream::on_deadline(Purpose purpose) noexcept {
  connection_.connection().attempt([this, purpose] { expire(purpose); });
}

void Http2Stream::expire(Purpose purpose) {
  switch (purpose) {
    case Purpose::None: break;
    case Purpose::Content: check_content_rate(); break;
    case Purpose::Handler: handler_expired(); break;
    case Purpose::Answer: check_answer_rate(); break;
    case Purpose::Rest:
      connection_.session().reset(*this, http2::ErrorCode::None);
      connection_.wake();
      break;
  }
}

void Http2Stream::wait_for_handler() {
  if (deadline() != Purpose::Handler) set_deadline(Purpose::Handler, exchange_->limits().handler_timeout);
}

// The exchange continues without the client, which gets a reset.
void Http2Stream::handler_expired() {
  if (exchange_ == nullptr || state_ != State::Serving) return;
  LoopContext& context = connection_.context();
  context.counters().refuse(Refusal::HandlerTimeout);
  Response response = exchange_->refuse_instead(http::unavailable("the answer took too long"));
  HeldExchange answering = context.take_exchange();
  exchange_->complete(Status::ServiceUnavailable, 0, false);  // the log has the answer
  std::exchange(exchange_, answering.release())->disconnect();
  exchange_->begin(*this, Spoken::Http2, false);
  respond(response);
}

MinDataRate Http2Stream::data_rate() const {
  return connection_.context().settings().data_rate();
}

// If other streams fill the connection's window, this client is not slow.
void Http2Stream::check_content_rate() {
  if (exchange_ == nullptr || !exchange_->awaits_content()) return;
  const std::uint64_t got = progress_.advance_to(exchange_->received(), connection_.context().loop().now());
  if (data_rate().is_met_by(got) || connection_.session().window_is_full()) {
    return set_deadline(Purpose::Content, data_rate().time_to_next());
  }
  exchange_->fail(StreamError::TooSlow);
  exchange_->wake();
}

void Http2Stream::watch_answer() {
  if (deadline() == Purpose::Answer || !outstanding()) return;
  const std::uint64_t now = connection_.context().loop().now();
  progress_.start(delivered(), now);
  connection_progress_.start(connection_.session().delivered(), now);
  set_deadline(Purpose::Answer, data_rate().time_to_next());
}

std::optional<Milliseconds> Http2Stream::patience() const {
  if (state_ == State::WebSocket) return websocket_->patience();
  const bool is_event_stream = state_ == State::Streaming && exchange_ != nullptr && exchange_->is_event_stream();
  return is_event_stream ? std::optional(connection_.context().settings().stall_timeout) : std::nullopt;
}

// Only a missing window shows a slow client: its own, or the connection's, which other streams may be using. (The
// connection checks how fast the socket is read.)
void Http2Stream::check_answer_rate() {
  if (closed() || !outstanding()) return;
  const http2::Session& session = connection_.session();
  const std::uint64_t now = connection_.context().loop().now();
  const std::uint64_t own = progress_.advance_to(delivered(), now);
  const std::uint64_t all = connection_progress_.advance_to(session.delivered(), now);
  const std::optional<Milliseconds> patient = patience();
  const bool slow =
      patient ? (session.lacks_window(*this) || session.lacks_window()) && progress_.has_stalled(*patient, now)
      : session.lacks_window(*this) ? !data_rate().is_met_by(own)
                                    : session.lacks_window() && !data_rate().is_met_by(all);
  if (!slow) return set_deadline(Purpose::Answer, data_rate().time_to_next());
  connection_.context().counters().refuse(Refusal::ResponseTooSlow);
  connection_.session().reset(*this, http2::ErrorCode::Cancel);
  connection_.wake();
}

}  // namespace tern::exchange
