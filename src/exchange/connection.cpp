#include "exchange/connection.hpp"

#include "exchange/http2.hpp"
#include "exchange/http_exchange.hpp"
#include "exchange/loop_context.hpp"
#include "http/unavailable.hpp"
#include "logging/log.hpp"
#include "net/rest_buffer.hpp"

#include <tern/http/file_range.hpp>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace tern::exchange {

static_assert(net::RestBuffer::padding >= http1::padding, "what the stream presents is what the core may look at");
namespace {

constexpr std::size_t max_pipelined_output = 256 * 1024;  // bytes written before the connection stops reading
constexpr std::uint64_t max_discarded = 256 * 1024;  // bytes of unwanted content that are worth keeping a connection
constexpr std::uint32_t max_swallowed = 4 * 1024 * 1024;  // bytes read from a peer after its last answer
constexpr Milliseconds linger_time = Seconds(2);
constexpr Milliseconds first_request_time = Seconds(1);  // for the first request if the server stops meanwhile
constexpr std::uint16_t max_drained = 1000;  // pipelined requests that are still answered after the server stops

}  // namespace

Connection::Connection(LoopContext& context)
    : Deadline(context.loop()), context_(context), protocol_(context.settings().heads), held_(context.shared().memory) {
  ++context.counters().connections_of(spoken_);
}

Connection::~Connection() {
  --context_.counters().connections_of(spoken_);
}

void Connection::open(net::Descriptor socket, const net::Address& remote, const transport::ConnectionConfig& config) {
  stream_.open(context_.loop(), std::move(socket), *this, remote, config, context_.secure_buffers());
  listener_ = &config.listener;
  if (config.tls) speak(Spoken::Handshake);
  // A new connection has the head timeout for its first request, including the PROXY header and the TLS handshake.
  set_deadline(Purpose::Head, context_.settings().head_timeout);
  if (!config.tls && context_.settings().http2_only && has_http2()) {
    attempt([this] { become(make_http2(*this), Spoken::Http2); });
  }
}

void Connection::speak(Spoken spoken) noexcept {
  --context_.counters().connections_of(spoken_);
  spoken_ = spoken;
  ++context_.counters().connections_of(spoken_);
}

// If an earlier answer is still being sent, on_sent() calls drain() again.
void Connection::drain() {
  if (other_) {
    if (!closing_) other_->drain();
    return;
  }
  // An event stream does not end on its own.
  if (exchange_ != nullptr && exchange_->is_event_stream()) exchange_->stop_handler();
  if (exchange_ != nullptr || closing_ || stream_.unsent() != 0) return;
  if (protocol_.waiting_for() != http1::Waiting::Idle) return;
  const Milliseconds time = served_ ? context_.settings().drain_idle : first_request_time;
  set_deadline(Purpose::Drain, std::max(time, Milliseconds(1)));
}

// --- Receiving ---

std::size_t Connection::on_bytes(std::span<const char> bytes) {
  if (closing_) return swallow(bytes.size());
  if (other_) [[unlikely]]
    return other_->on_bytes(bytes);
  protocol_.receive({bytes.data(), bytes.size()});
  in_window_ = true;
  if (exchange_ != nullptr) {
    continue_exchange();
  }
  process();
  in_window_ = false;
  if (exchange_ != nullptr) {
    exchange_->keep_chunk();
    // The next request waits for the end of this answer; resume() presents its bytes again.
    if (exchange_->stream() != nullptr && protocol_.consumed() < bytes.size()) stream_.pause();
  }
  flush();
  if (closing_) return bytes.size();
  const std::size_t consumed = protocol_.consumed();
  if (other_ && consumed < bytes.size()) return consumed + other_->on_bytes(bytes.subspan(consumed));
  return consumed;
}

void Connection::become(std::unique_ptr<Protocol> protocol, Spoken spoken) {
  base::expects(exchange_ == nullptr && !other_, "a connection is handed over between two exchanges, once");
  other_ = std::move(protocol);
  speak(spoken);
  clear_deadline();
  if (!in_window_) stream_.resume();
}

net::Output& Connection::begin_writing() {
  return context_.begin_writing(*this);
}

void Connection::finish() {
  closing_ = true;
  flush();
}

// Handles the received requests until one has to wait.
void Connection::process() {
  while (exchange_ == nullptr && !closing_ && !other_) {
    if (begin_writing().size() > max_pipelined_output) flush();
    if (stream_.unsent() != 0) {
      blocked_ = true;
      stream_.pause();
      return;
    }
    if (!protocol_.has_input()) return watch_protocol();
    HeldExchange exchange = context_.take_exchange();
    switch (protocol_.next(exchange->request().head())) {
      case http1::Event::Request: begin(std::move(exchange)); continue;
      case http1::Event::Reject: refuse(std::move(exchange)); return;
      case http1::Event::Closed:  // while the rest of a content was discarded: no request follows
        closing_ = true;
        break;
      case http1::Event::NeedMore:
      case http1::Event::Chunk:
      case http1::Event::Trailer:
      case http1::Event::End: break;
    }
    exchange.reset();
    watch_protocol();
    return;
  }
}

void Connection::begin(HeldExchange held) {
  HttpExchange& exchange = *held;
  exchange_ = held.release();
  exchange.begin(*this, Spoken::Http1);
  if (const auto content = protocol_.take_content()) {
    exchange.set_content(*content);
  } else {
    exchange.expect_content(protocol_.content_length().value_or(0));
  }
  Reply reply = exchange.serve();
  if (Response* response = exchange.start(reply)) return respond(*response);
  if (!exchange.awaits_content()) wait_for_handler();
}

// Does not read until the answer is ready, or the content is requested.
void Connection::wait_for_handler() {
  if (deadline() != Purpose::Handler) set_deadline(Purpose::Handler, exchange_->limits().handler_timeout);
  stream_.pause();
}

// More content of the current request.
void Connection::continue_exchange() {
  HttpExchange& exchange = *exchange_;
  if (exchange.awaits_content() && pull(exchange)) exchange.wake();
  if (exchange_ != nullptr && !exchange_->awaits_content() && exchange_->stream() == nullptr) wait_for_handler();
}

// The bytes are not valid HTTP/1.1: one answer, then close.
void Connection::refuse(HeldExchange exchange) {
  if (speaks_http2()) {
    exchange.reset();
    return become(make_http2(*this), Spoken::Http2);
  }
  ++context_.counters().faults[static_cast<std::size_t>(protocol_.fault())];
  const http1::Reject reject = protocol_.rejected();
  if (protocol_.answer_owed()) {
    answer_problem(std::move(exchange), Problem{reject.status, std::string(reject.detail), {}, {}});
  } else {
    closing_ = true;
  }
}

// The rejected bytes may be the HTTP/2 preface. Only rejected input pays for this check.
bool Connection::speaks_http2() const {
  return !served_ && !stream_.is_secure() && has_http2() && context_.settings().prior_knowledge &&
         protocol_.consumed() == 0 && is_http2_preface(protocol_.unconsumed());
}

// An answer to bytes that did not form a request.
void Connection::answer_problem(HeldExchange held, const Problem& problem) {
  answer(std::move(held), context_.shared().service.refuse(problem), true);
}

void Connection::answer(HeldExchange held, Response response, bool observed) {
  HttpExchange& exchange = *held;
  exchange_ = held.release();
  exchange.request().head().clear();
  exchange.begin(*this, Spoken::Http1, observed);
  respond(response);
}

void Connection::on_end() {
  peer_ended_ = true;
  if (other_ && !closing_) return other_->on_end();
  if (exchange_ != nullptr) {
    // Incomplete content stays incomplete: a waiting handler is resumed, and may respond.
    if (!protocol_.content_complete() && !exchange_->has_failed()) {
      exchange_->fail(StreamError::Disconnected);
      exchange_->wake();
    }
    if (exchange_ != nullptr && ends_with_client()) client_gone();
    return;
  }
  closing_ = true;
  after_answer();
}

// Pipelined bytes are not read while the handler runs.
void Connection::on_hang_up() {
  if (exchange_ != nullptr && ends_with_client()) client_gone();
}

// Whether the handler is stopped when the client ends its side.
bool Connection::ends_with_client() const noexcept {
  return !exchange_->limits().half_close || exchange_->is_event_stream();
}

// The client has disconnected: its answer is not needed. Earlier answers are still sent. A partly sent answer is
// aborted; if its content is delimited by the end of the connection, that takes a reset (RFC 9112, section 8).
void Connection::client_gone() {
  if (exchange_->stream() != nullptr) {
    const bool until_close = exchange_->request().version() == Version::Http10;
    return until_close ? stream_.abort() : stream_.close();
  }
  std::exchange(exchange_, nullptr)->disconnect();
  protocol_.abandon();
  closing_ = true;
  flush();
}

void Connection::inform(Status status, const Fields& fields) {
  protocol_.inform(begin_writing().text(), status, &fields);
  flush();
}

// --- Sending ---

void Connection::complete(Response response) {
  respond(response);
  if (exchange_ == nullptr) return resume_reading();
  // A producer writes the content; meanwhile the connection is read to notice the client's end.
  flush();
  if (peer_ended_ && exchange_->is_event_stream()) return stream_.close();
  if (!in_window_) stream_.resume();
}

// After an answer from outside of on_bytes(): presents the following requests.
void Connection::resume_reading() {
  if (in_window_) return;  // process() continues
  flush();
  if (!closing_ && stream_.is_open()) {
    if (!blocked_) stream_.resume();
    watch_protocol();
  }
}

void Connection::respond(Response& response) {
  if (response.status() == Status::SwitchingProtocols && response.producer() != nullptr) [[unlikely]] {
    return switch_protocol(response);
  }
  HttpExchange& exchange = *exchange_;
  exchange.ensure_final(response);
  if (const std::size_t size = exchange.uncounted_bytes(response);
      size != 0 && !context_.shared().memory.has_room_for(size)) {
    context_.counters().refuse(Refusal::ResponseMemory);
    response = exchange.refuse_instead(http::unavailable("unread answers hold all memory for contents"));
  }
  exchange.defer(response);
  const std::size_t size = response.content().size();
  clear_deadline();  // it belonged to this request
  served_ = true;
  if (!protocol_.content_complete()) protocol_.discard_content(max_discarded);
  if (response.producer() != nullptr) {
    if (begin_stream(response)) return;
  } else {
    write_response(response);
  }
  if (!response.borrows()) exchange.give_scratch(response.take_owned());
  end_exchange(response.status(), size);
}

// Unread output counts towards the memory budget of contents.
void Connection::update_held() {
  held_.set(stream_.held());
  context_.watch_memory();
}

// The answer has been written.
void Connection::end_exchange(Status status, std::size_t bytes) {
  std::exchange(exchange_, nullptr)->finish(status, bytes);
  if (protocol_.must_close() || peer_ended_) closing_ = true;
}

http1::ResponseHead Connection::head_of(const Response& response) {
  http1::ResponseHead head;
  head.status = response.status();
  head.fields = &response.fields();
  head.content_type = response.literal_type();
  head.date = context_.date();
  head.server = context_.settings().server_name;
  head.close = response.closes() || is_last_of_drain();
  return head;
}

// No request after an answer with `Connection: close` is answered (RFC 9112, section 9.6), so it is the last of those
// received. The drain of a client that pipelines without end is cut off.
bool Connection::is_last_of_drain() {
  return context_.draining() && (++drained_ > max_drained || !has_more_requests());
}

bool Connection::has_more_requests() const {
  if (!in_window_) return stream_.has_unread();
  return !protocol_.unconsumed().empty() || stream_.has_unpresented();
}

void Connection::write_response(Response& response) {
  net::Output& output = begin_writing();
  const std::string_view content = response.content();
  const bool plain = response.status() == Status::Ok && !response.closes() && !context_.draining() &&
                     content.size() <= net::Output::large;
  if (plain && protocol_.answer_with_cached_head(output.text(), context_.cached_response_head(),
                                                 response.literal_type(), response.fields(), content))
    return;
  http1::ResponseHead head = head_of(response);
  if (content.size() <= net::Output::large || (response.borrows() && !response.is_static())) {
    protocol_.answer(output.text(), head, content);
    return;
  }
  head.content_length = content.size();
  const std::size_t size = content.size();
  if (protocol_.respond(output.text(), head)) {
    if (response.is_static()) {
      output.append_static(content);
    } else {
      output.append(response.take_owned());
    }
    protocol_.wrote(size);
  }
  protocol_.finish(output.text());
}

// --- Streamed answers ---

// Writes the head and starts the producer. False if there is nothing left to do: no content is sent (HEAD), or the
// producer has ended and the answer is written.
bool Connection::begin_stream(Response& response) {
  HttpExchange& exchange = *exchange_;
  exchange.pin();
  http1::ResponseHead head = head_of(response);
  head.content_length = response.producer()->length();
  std::string& out = begin_writing().text();
  if (!protocol_.respond(out, head)) {
    protocol_.finish(out);
    return false;
  }
  if (exchange.start_stream(response)) end_stream();
  return true;
}

// The producer has ended. If it has failed, the client must notice: no last chunk, or a reset if the end of the
// connection delimits the content (RFC 9112, section 8).
void Connection::end_stream() {
  HttpExchange& exchange = *exchange_;
  ResponseStream& stream = *exchange.stream();
  const bool whole = stream.succeeded(context_.draining());
  if (whole) {
    stream.finish();
  } else {
    stream.flush();
  }
  const bool http10 = exchange.request().version() == Version::Http10;
  end_exchange(exchange.streamed_status(), stream.bytes());
  if (!whole) {
    closing_ = true;
    if (http10) stream_.abort();
  }
  resume_reading();
}

void Connection::frame_file(net::Output& buffer, const http::FileRange& range) {
  buffer.append_file({range.file, range.offset, range.length});
  protocol_.wrote(range.length);
}

void Connection::send_framed(net::Output& buffer) {
  net::Output& before = begin_writing();  // the head, and earlier answers
  if (!before.empty()) {
    before.append(buffer);
    stream_.send(before);
  } else {
    stream_.send(buffer);
  }
  update_held();
  if (stream_.unsent() != 0) watch_answer();
}

// One send for all written bytes.
void Connection::flush() {
  net::Output& output = begin_writing();
  if (!output.empty()) {
    stream_.send(output);
    if (stream_.unsent() != 0) [[unlikely]]
      update_held();
  }
  if (closing_) {
    after_answer();
  } else if (stream_.unsent() != 0 && deadline() != Purpose::Body) {
    watch_answer();
  }
}

void Connection::on_sent() {
  update_held();
  if (deadline() == Purpose::Answer) clear_deadline();
  if (other_ && !closing_) return other_->on_sent();
  if (exchange_ != nullptr && exchange_->stream() != nullptr) return exchange_->stream()->wake();
  if (closing_) return linger();
  if (blocked_) {
    blocked_ = false;
    stream_.resume();
  }
  if (exchange_ == nullptr) watch_protocol();
}

// The last answer is with the stream: closes the connection when the kernel has accepted it.
void Connection::after_answer() {
  if (!stream_.is_open()) return;
  if (stream_.unsent() != 0) {
    stream_.shutdown_write();  // after the queue
    stream_.resume();
    watch_answer();
    return;
  }
  linger();
}

// The lingering close of RFC 9112, section 9.6: the server ends its side, and reads and drops input until the peer ends
// its own, for at most linger_time or max_swallowed bytes. A close with unread bytes would reset the connection, and
// the reset may overtake the answer. This also applies to clients that have announced their last request: some send an
// empty line after it.
void Connection::linger() {
  if (peer_ended_) {
    stream_.close();
    return;
  }
  if (deadline() == Purpose::Linger) return;
  stream_.shutdown_write();
  stream_.resume();
  set_deadline(Purpose::Linger, linger_time);
}

// The negotiated protocol takes over.
void Connection::on_secured() {
  LoopCounters& counters = context_.counters();
  ++counters.tls_handshakes;
  if (stream_.session()->resumed()) ++counters.tls_resumptions;
  if (stream_.session()->protocol() == "h2") return become(make_http2(*this), Spoken::Http2);
  speak(Spoken::Http1);
}

// The TLS handshake has failed; the peer has been sent the reason.
void Connection::on_refused() {
  ++context_.counters().tls_failures;
  closing_ = true;
  after_answer();
}

std::size_t Connection::swallow(std::size_t bytes) {
  swallowed_ += static_cast<std::uint32_t>(bytes);
  if (swallowed_ > max_swallowed) stream_.close();
  return bytes;
}

// The written output may be incomplete: it is not sent.
void Connection::out_of_memory() noexcept {
  context_.discard_output(*this);
  context_.counters().refuse(Refusal::OutOfMemory);
  closing_ = true;
  stream_.abort();
}

void Connection::on_closed(std::error_code why) {
  if (other_) other_->on_closed(why);
  if (HttpExchange* exchange = std::exchange(exchange_, nullptr)) exchange->leave_host();
  context_.remove(*this);  // deletes it
}

}  // namespace tern::exchange
