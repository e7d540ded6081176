#include "server/connection.hpp"

#include "http/unavailable.hpp"
#include "net/rest_buffer.hpp"
#include "server/exchange.hpp"
#include "server/http2.hpp"
#include "server/log.hpp"
#include "server/worker.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tern::server {

static_assert(net::RestBuffer::padding >= http1::padding, "what the stream presents is what the core may look at");
namespace {

constexpr std::size_t max_pipelined_output = 256 * 1024;  // bytes written before the peer has to read
constexpr std::uint64_t max_discarded = 256 * 1024;  // bytes of unwanted content that are worth keeping a connection
constexpr std::uint32_t max_swallowed = 4 * 1024 * 1024;  // bytes read from a peer that was told to go
constexpr Milliseconds linger_time = Seconds(2);
constexpr Milliseconds first_request_time = Seconds(1);  // for the first request, when the server stops meanwhile
constexpr std::uint16_t max_drained = 1000;  // pipelined requests that are still answered when the server stops

}  // namespace

Connection::Connection(Worker& worker)
    : worker_(worker), protocol_(worker.shared().settings.heads), held_(worker.shared().memory) {}

Connection::~Connection() {
  worker_.loop().disarm(*this);
}

void Connection::open(net::Descriptor socket, const net::Address& remote, const Manner& manner) {
  stream_.open(worker_.loop(), std::move(socket), *this, remote, manner, worker_.secure_buffers());
  // A new connection has the head's time for its first request, however it begins, the handshake
  // of TLS included.
  watch(Watch::Head, worker_.shared().settings.head_timeout);
  if (!manner.tls && worker_.shared().settings.http2_only && has_http2()) {
    attempt([this] { become(make_http2(*this)); });
  }
}

// Where an earlier answer is still being sent, on_sent() comes back here.
void Connection::drain() {
  if (other_) {
    if (!closing_) other_->drain();
    return;
  }
  // A stream of events would never end by itself.
  if (exchange_ != nullptr && exchange_->stream_ && exchange_->stream_->ends_with_peer()) exchange_->stop_.stop();
  if (exchange_ != nullptr || closing_ || stream_.unsent() != 0) return;
  if (protocol_.waiting_for() != http1::Waiting::Idle) return;
  const Milliseconds time = served_ ? worker_.shared().settings.drain_idle : first_request_time;
  watch(Watch::Drain, std::max(time, Milliseconds(1)));
}

// --- Bytes in
// ----------------------------------------------------------------------------------------------------------

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
    // The next request waits for the end of this answer; resuming presents it again.
    if (exchange_->stream_ && protocol_.consumed() < bytes.size()) stream_.pause();
  }
  flush();
  if (closing_) return bytes.size();
  const std::size_t consumed = protocol_.consumed();
  if (other_ && consumed < bytes.size()) return consumed + other_->on_bytes(bytes.subspan(consumed));
  return consumed;
}

void Connection::become(std::unique_ptr<Protocol> protocol) {
  base::expects(exchange_ == nullptr && !other_, "a connection is handed over between two exchanges, once");
  other_ = std::move(protocol);
  watch_ = Watch::None;
  if (!in_window_) stream_.resume();
}

net::Output& Connection::output() {
  return worker_.output(*this);
}

void Connection::finish() {
  closing_ = true;
  flush();
}

// The requests that are there, until one has to wait.
void Connection::process() {
  while (exchange_ == nullptr && !closing_ && !other_) {
    if (worker_.output(*this).size() > max_pipelined_output) flush();
    if (stream_.unsent() != 0) {
      blocked_ = true;
      stream_.pause();
      return;
    }
    HeldExchange exchange = worker_.take_exchange();
    switch (protocol_.next(exchange->request().head(), &worker_.known_heads())) {
      case http1::Event::Request: begin(std::move(exchange)); continue;
      case http1::Event::Reject: refuse(std::move(exchange)); return;
      case http1::Event::Closed:  // while the rest of a content was discarded: nothing can follow it
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
  exchange.begin(*this, worker_.shared().settings.limits);
  if (worker_.logs_access()) exchange.started_ = worker_.microseconds();
  const auto content = protocol_.take_content();
  exchange.body_complete_ = content.has_value();
  exchange.announced_ = content ? 0 : protocol_.content_length().value_or(0);
  if (content) {
    exchange.chunk_ = *content;
    exchange.received_ = content->size();
    exchange.ended_ = true;
  }
  Reply reply = worker_.shared().service.serve(exchange);
  if (reply.ready()) return respond(reply.response());
  if (exchange.start(std::move(reply.task()))) {
    Response response = exchange.task_.result();
    return respond(response);
  }
  if (!exchange.waiting_) wait_for_handler();
}

// Nothing is read until the answer is there, or the content is asked for.
void Connection::wait_for_handler() {
  if (watch_ != Watch::Handler) watch(Watch::Handler, exchange_->limits_.answer);
  stream_.pause();
}

// More content of the request that is being served.
void Connection::continue_exchange() {
  HttpExchange& exchange = *exchange_;
  if (exchange.waiting_ && pull(exchange)) exchange.wake();
  if (exchange_ != nullptr && !exchange_->waiting_ && !exchange_->stream_) wait_for_handler();
}

// What is not HTTP/1.1 as we accept it: one answer, and the end.
void Connection::refuse(HeldExchange exchange) {
  if (speaks_http2()) {
    exchange.reset();
    return become(make_http2(*this));
  }
  const http1::Reject reject = protocol_.rejected();
  if (protocol_.answer_owed()) {
    answer_problem(std::move(exchange), Problem{reject.status, std::string(reject.detail), {}, {}});
  } else {
    closing_ = true;
  }
}

// What was refused may be the first line of HTTP/2. Nobody else pays for looking.
bool Connection::speaks_http2() const {
  return !served_ && !stream_.is_secure() && has_http2() && worker_.shared().settings.prior_knowledge &&
         protocol_.consumed() == 0 && is_http2_preface(protocol_.unconsumed());
}

// An answer to what never became a request.
void Connection::answer_problem(HeldExchange held, const Problem& problem) {
  HttpExchange& exchange = *held;
  exchange_ = held.release();
  exchange.request().head().clear();
  exchange.begin(*this, worker_.shared().settings.limits);
  if (worker_.logs_access()) exchange.started_ = worker_.microseconds();
  Response response = worker_.shared().service.refuse(problem);
  respond(response);
}

void Connection::on_end() {
  peer_ended_ = true;
  if (other_ && !closing_) return other_->on_end();
  if (exchange_ != nullptr) {
    // Content that is not complete now never will be: who waits for it is told, and may answer.
    if (!protocol_.content_complete() && !exchange_->error_) {
      exchange_->fail(StreamError::Disconnected);
      exchange_->wake();
    }
    if (exchange_ != nullptr && ends_with_client()) client_gone();
    return;
  }
  closing_ = true;
  after_answer();
}

// What the client has sent behind its request is not read while the handler is waited for.
void Connection::on_hang_up() {
  if (exchange_ != nullptr && ends_with_client()) client_gone();
}

// Whether what waits is stopped when the client ends its side.
bool Connection::ends_with_client() const noexcept {
  return !exchange_->limits_.half_close || (exchange_->stream_ && exchange_->stream_->ends_with_peer());
}

// The client has gone: the answer is not needed any more. Those before it are still sent. One that has been sent in
// part breaks off; where only the end of the connection ends its content, that takes a reset (RFC 9112, section 8).
void Connection::client_gone() {
  if (exchange_->stream_) {
    const bool until_close = exchange_->request().version() == Version::Http10;
    return until_close ? stream_.abort() : stream_.close();
  }
  std::exchange(exchange_, nullptr)->disconnect();
  protocol_.abandon();
  closing_ = true;
  flush();
}

void Connection::inform(Status status, const Fields& fields) {
  protocol_.inform(worker_.output(*this).text(), status, &fields);
  flush();
}

// --- Answers out
// -------------------------------------------------------------------------------------------------------

void Connection::complete(Response response) {
  respond(response);
  if (exchange_ == nullptr) return resume_reading();
  // Its content is being made, meanwhile the end of the client is looked for.
  flush();
  if (peer_ended_ && exchange_->stream_->ends_with_peer()) return stream_.close();
  if (!in_window_) stream_.resume();
}

// After an answer from outside of on_bytes(): the requests behind it.
void Connection::resume_reading() {
  if (in_window_) return;  // process() goes on
  flush();
  if (!closing_ && stream_.is_open()) {
    if (!blocked_) stream_.resume();
    watch_protocol();
  }
}

void Connection::respond(Response& response) {
  HttpExchange& exchange = *exchange_;
  if (code(response.status()) < 200 || code(response.status()) > 599) [[unlikely]] {
    if (response.status() == Status::SwitchingProtocols && response.producer() != nullptr) {
      return switch_protocol(response);
    }
    replace(response);
  } else if (lacks_room(response)) [[unlikely]] {
    response = worker_.shared().service.refuse(http::unavailable("unread answers hold all memory for contents"));
  }
  if (response.has_after()) exchange.after_ = response.take_after();
  const std::size_t size = response.content().size();
  watch_ = Watch::None;  // it was about this request
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

// A handler has answered with a status that is no final one.
[[gnu::noinline, gnu::cold]] void Connection::replace(Response& response) {
  exchange_->report("a handler answered with a status that is no final one: " +
                    std::to_string(code(response.status())));
  response = worker_.shared().service.refuse(Problem{Status::InternalServerError, {}, {}, {}});
}

// Whether it is a large answer of its own memory, and others that are not read hold all that there is.
bool Connection::lacks_room(const Response& response) const {
  const std::size_t size = response.content().size();
  // A content that comes from the request is counted already.
  return size > net::Output::large && !response.lasts() && size > exchange_->charged_ &&
         !worker_.shared().memory.has_room_for(size - exchange_->charged_);
}

// What the peer does not read counts towards what the contents of all may hold.
void Connection::update_held() {
  held_.set(stream_.held());
  worker_.watch_memory();
}

// The answer is written.
void Connection::end_exchange(Status status, std::size_t bytes) {
  HttpExchange& exchange = *std::exchange(exchange_, nullptr);
  if (worker_.logs_access()) worker_.log_access(exchange, status, bytes);
  worker_.release(exchange);
  if (protocol_.must_close() || peer_ended_) closing_ = true;
}

http1::ResponseHead Connection::head_of(const Response& response) {
  http1::ResponseHead head;
  head.status = response.status();
  head.fields = &response.fields();
  head.content_type = response.literal_type();
  head.date = worker_.date();
  head.server = worker_.shared().settings.server_name;
  head.close = response.closes() || is_last_of_drain();
  return head;
}

// Behind an answer with `Connection: close` no request is answered (RFC 9112, section 9.6), so it is the last of those
// that have arrived. A client that pipelines without an end is cut off at some point.
bool Connection::is_last_of_drain() {
  return worker_.draining() && (++drained_ > max_drained || !has_more_requests());
}

bool Connection::has_more_requests() const {
  if (!in_window_) return stream_.has_unread();
  return !protocol_.unconsumed().empty() || stream_.has_unpresented();
}

void Connection::write_response(Response& response) {
  net::Output& output = worker_.output(*this);
  const std::string_view content = response.content();
  const bool plain = response.status() == Status::Ok && response.fields().empty() && !response.closes() &&
                     !worker_.draining() && content.size() <= net::Output::large;
  if (plain && protocol_.answer_plainly(output.text(), worker_.plain_head(), response.literal_type(), content)) return;
  http1::ResponseHead head = head_of(response);
  if (content.size() <= net::Output::large || (response.borrows() && !response.lasts())) {
    protocol_.answer(output.text(), head, content);
    return;
  }
  head.content_length = content.size();
  const std::size_t size = content.size();
  if (protocol_.respond(output.text(), head)) {
    if (response.lasts()) {
      output.append_static(content);
    } else {
      output.append(response.take_owned());
    }
    protocol_.wrote(size);
  }
  protocol_.finish(output.text());
}

// --- Answers that are made while they are sent ---

// Writes the head and starts the producer. False when there is nothing left to do: no content is sent (HEAD), or the
// producer has ended and the answer is written.
bool Connection::begin_stream(Response& response) {
  HttpExchange& exchange = *exchange_;
  exchange.pin();
  http1::ResponseHead head = head_of(response);
  head.content_length = std::nullopt;
  std::string& out = worker_.output(*this).text();
  if (!protocol_.respond(out, head)) {
    protocol_.finish(out);
    return false;
  }
  if (exchange.start_stream(response)) end_stream();
  return true;
}

// The producer has ended. When it has failed, the client must be able to tell: no last chunk, or a reset where only the
// end of the connection ends the content (RFC 9112, section 8).
void Connection::end_stream() {
  HttpExchange& exchange = *exchange_;
  ResponseStream& stream = *exchange.stream_;
  const bool whole = stream.succeeded(worker_.draining());
  if (whole) {
    stream.finish();
  } else {
    stream.flush();
  }
  const bool http10 = exchange.request().version() == Version::Http10;
  end_exchange(exchange.status_, stream.bytes());
  if (!whole) {
    closing_ = true;
    if (http10) stream_.abort();
  }
  resume_reading();
}

void Connection::send_framed(net::Output& buffer) {
  net::Output& before = worker_.output(*this);  // the head, and answers in front of it
  if (!before.empty()) stream_.send(before);
  stream_.send(buffer);
  update_held();
  if (stream_.unsent() != 0) watch_answer();
}

// One send for everything that was written.
void Connection::flush() {
  net::Output& output = worker_.output(*this);
  if (!output.empty()) {
    stream_.send(output);
    if (stream_.unsent() != 0) [[unlikely]]
      update_held();
  }
  if (closing_) {
    after_answer();
  } else if (stream_.unsent() != 0 && watch_ != Watch::Body) {
    watch_answer();
  }
}

void Connection::on_sent() {
  update_held();
  if (watch_ == Watch::Answer) watch_ = Watch::None;
  if (other_ && !closing_) return other_->on_sent();
  if (exchange_ != nullptr && exchange_->stream_) return exchange_->stream_->wake();
  if (closing_) return linger();
  if (blocked_) {
    blocked_ = false;
    stream_.resume();
  }
  if (exchange_ == nullptr) watch_protocol();
}

// The last answer is with the stream: takes the connection down as soon as the kernel has it.
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

// The lingering close of RFC 9112, section 9.6: our side ends, and what the peer still sends is read and dropped until
// it ends its own, for linger_time or max_swallowed bytes at most. A close with unread bytes would reset the
// connection, and the reset may overtake the answer. That goes for clients, too, that have announced their last
// request: some send an empty line behind it.
void Connection::linger() {
  if (peer_ended_) {
    stream_.close();
    return;
  }
  if (watch_ == Watch::Linger) return;
  stream_.shutdown_write();
  stream_.resume();
  watch(Watch::Linger, linger_time);
}

// A protocol that was negotiated takes over.
void Connection::on_secured() {
  if (stream_.session()->protocol() == "h2") become(make_http2(*this));
}

// There is no TLS with this peer, which has been told.
void Connection::on_refused() {
  closing_ = true;
  after_answer();
}

std::size_t Connection::swallow(std::size_t bytes) {
  swallowed_ += static_cast<std::uint32_t>(bytes);
  if (swallowed_ > max_swallowed) stream_.close();
  return bytes;
}

// What was written may lack its end: it is not sent.
void Connection::out_of_memory() noexcept {
  worker_.discard_output(*this);
  closing_ = true;
  stream_.abort();
}

void Connection::on_closed(std::error_code why) {
  if (other_) other_->on_closed(why);
  if (HttpExchange* exchange = std::exchange(exchange_, nullptr)) exchange->leave_host();
  worker_.closed(*this);  // deletes it
}

}  // namespace tern::server
