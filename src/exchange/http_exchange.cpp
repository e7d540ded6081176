#include "exchange/http_exchange.hpp"

#include "exchange/loop_context.hpp"
#include "logging/log.hpp"

#include <tern/coro/context.hpp>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

namespace tern::exchange {
namespace {

void describe_client(const tls::ClientCertificate& certificate, Arena& arena, TlsFacts& facts) {
  facts.client_subject = arena.copy(certificate.subject);
  facts.client_serial = arena.copy(certificate.serial);
  facts.client_fingerprint = arena.copy(certificate.fingerprint);
  auto& names = arena.make<std::vector<std::string_view>>();
  for (const std::string& name : certificate.names) names.push_back(arena.copy(name));
  facts.client_names = names;
}

}  // namespace

HttpExchange::HttpExchange(LoopContext& context, std::size_t loop_index) : context_(context) {
  loop_index_ = loop_index;
}

void HttpExchange::begin(ExchangeHost& host, Spoken spoken, bool observed) {
  host_ = &host;
  spoken_ = spoken;
  in_flight_ = true;
  observed_ = observed;
  const Settings& settings = context_.settings();
  limits_ = settings.limits;
  ++context_.counters().requests_of(spoken);
  if (!settings.trusted.empty()) [[unlikely]]
    look_behind_proxies();
  if (context_.times_requests()) begin_timing();
}

// Not in begin(), so that without an observer and logs there is no cost of its stack frame.
void HttpExchange::begin_timing() {
  started_ = LoopContext::nanoseconds();
  answered_ = 0;
  queued_ = started_ - std::min(started_, context_.loop().woke());
  number_ = context_.next_number();
  stop_.set_wait_log(&wait_log_);
  http::Observer* const observer = context_.settings().observer;
  if (observer != nullptr && observed_) observer->on_request(*this);
}

void HttpExchange::set_content(std::string_view bytes) noexcept {
  body_complete_ = ended_ = true;
  announced_ = 0;
  chunk_ = bytes;
  received_ = bytes.size();
}

void HttpExchange::expect_content(std::uint64_t announced) noexcept {
  body_complete_ = false;
  announced_ = announced;
}

Reply HttpExchange::serve() {
  const coro::ContextScope scope(work_context());
  return context_.shared().service.serve(*this);
}

Response* HttpExchange::start(Reply& reply) {
  if (!reply.ready()) {
    if (!start(std::move(reply.task()))) return nullptr;
    reply = Reply(task_.result());
  }
  return &reply.response();
}

void HttpExchange::look_behind_proxies() {
  const Settings& settings = context_.settings();
  const proxy::Origin origin =
      proxy::origin_of(request_.fields(), host_->remote(), host_->scheme(), settings.trusted, settings.forwarded);
  remote_ = origin.address.host();
  port_ = origin.address.port();
  scheme_ = origin.scheme;
  from_proxy_ = true;
  peer_is_trusted_ = origin.peer_is_trusted;
}

bool HttpExchange::start(ResponseTask task) {
  // The task has not begun yet, so no code holds views that would dangle. If the exchange is not pinned yet, the task
  // takes none: it may end at once.
  if (pinned() || !chunk_.empty()) {
    pin();
    chunk_ = arena().copy(chunk_);
  }
  task_ = std::move(task);
  task_.inherit_stop(&stop_);
  {
    const coro::ContextScope scope(work_context());
    if (task_.start(&HttpExchange::on_done, this)) return true;
  }
  in_progress_ = true;
  pin();
  return false;
}

void HttpExchange::on_done(void* context) {
  auto& exchange = *static_cast<HttpExchange*>(context);
  exchange.in_progress_ = false;
  if (exchange.host_ != nullptr) {
    return exchange.attempt([&] {
      Response response = exchange.task_.result();
      const coro::ContextScope scope(nullptr);  // what follows is not the handler's
      exchange.host_->complete(std::move(response));
    });
  }
  exchange.after_ = exchange.task_.result().take_after();
  exchange.release();
}

Response HttpExchange::refuse_instead(const Problem& problem) noexcept {
  return context_.shared().service.refuse_instead(problem, *this);
}

void HttpExchange::ensure_final(Response& response) {
  if (started_ != 0 && context_.settings().slow.count() != 0) answered_ = LoopContext::nanoseconds();
  if (code(response.status()) < 200 || code(response.status()) > 599) [[unlikely]]
    replace_status(response);
}

void HttpExchange::replace_status(Response& response) {
  report("a handler answered with a status that is not final: " + std::to_string(code(response.status())));
  response = refuse_instead(Problem{Status::InternalServerError, {}, {}, {}});
}

void HttpExchange::defer(Response& response) noexcept {
  if (response.has_after()) after_ = response.take_after();
}

std::size_t HttpExchange::uncounted_bytes(const Response& response) const noexcept {
  const std::size_t size = response.content().size();
  // Content of the request is counted already; static content belongs to the program.
  if (size <= net::Output::large || size <= charged_ || response.is_static()) return 0;
  return size - charged_;
}

bool HttpExchange::start_stream(Response& response) {
  status_ = response.status();
  stream_ = std::make_unique<ResponseStream>(*this, context_.loop(), response.take_producer());
  const coro::ContextScope scope(work_context());
  const bool ended = stream_->start(stop_, &HttpExchange::on_streamed, this);
  in_progress_ = !ended;
  return ended;
}

void HttpExchange::on_streamed(void* context) {
  const coro::ContextScope scope(nullptr);
  auto& exchange = *static_cast<HttpExchange*>(context);
  exchange.in_progress_ = false;
  if (exchange.host_ != nullptr) return exchange.attempt([&] { exchange.host_->end_stream(); });
  exchange.release();
}

bool HttpExchange::has_received() {
  if (!asked_) {
    asked_ = true;
    if (host_ != nullptr) host_->content_is_wanted(*this);
  }
  if (error_ || ended_ || !chunk_.empty()) return true;
  return host_ == nullptr || host_->pull(*this);
}

void HttpExchange::when_received(std::coroutine_handle<> waiting) {
  waiting_ = waiting;  // null: the waiting coroutine has been destroyed
  if (waiting_) host_->wait_for_content();
}

std::expected<std::string_view, StreamError> HttpExchange::take_received() {
  if (!has_received()) return std::unexpected(StreamError::Disconnected);
  if (error_) return std::unexpected(*error_);
  if (received_ > limits_.max_body_bytes) return std::unexpected(StreamError::TooLarge);
  if (host_ == nullptr && !ended_) return std::unexpected(StreamError::Disconnected);
  return std::exchange(chunk_, {});
}

bool HttpExchange::charge(std::size_t bytes) {
  if (!context_.shared().memory.take(bytes)) return false;
  charged_ += bytes;
  context_.watch_memory();
  return true;
}

void HttpExchange::inform(Status status, const Fields& fields) {
  if (host_ != nullptr) host_->inform(status, fields);
}

void HttpExchange::log(const http::LogLine& line) {
  http::Observer* const observer = context_.settings().observer;
  if (line.level == LogLevel::Error && observer != nullptr) observer->on_error(*this, line.text);
  context_.shared().log.write(line);
}

void HttpExchange::note_shed() noexcept {
  context_.counters().refuse(Refusal::Overload);
}

std::string_view HttpExchange::remote() {
  if (remote_.empty() && host_ != nullptr) remote_ = host_->remote().host();
  return remote_;
}

std::uint16_t HttpExchange::remote_port() {
  if (from_proxy_) return port_;
  return host_ != nullptr ? host_->remote().port() : std::uint16_t{0};
}

std::string_view HttpExchange::listener() {
  return host_ != nullptr ? host_->listener() : listener_;
}

std::string_view HttpExchange::scheme() {
  if (host_ != nullptr && !from_proxy_) scheme_ = host_->scheme();
  return scheme_;
}

void HttpExchange::offer_content(std::string_view bytes) noexcept {
  chunk_ = bytes;
  received_ += bytes.size();
  if (received_ > limits_.max_body_bytes) fail(StreamError::TooLarge);
}

// Only received bytes are counted, so that one exchange may pass the bound by the bytes of one call.
void HttpExchange::add_collected(std::size_t count) noexcept {
  received_ += count;
  if (!charge_collected(request_.collected_body().size())) fail(StreamError::Overloaded);
}

void HttpExchange::complete(Status status, std::size_t bytes, bool logged) {
  if (!std::exchange(in_flight_, false)) return;
  --context_.counters().requests_of(spoken_);
  if (started_ != 0) end_timing(status, bytes, logged);
}

void HttpExchange::end_timing(Status status, std::size_t bytes, bool logged) {
  const std::uint64_t time = LoopContext::nanoseconds() - started_;
  if (observed_ && context_.settings().observer != nullptr) {
    context_.settings().observer->on_response(*this, {status, bytes, time, received_});
  }
  if (logged && context_.logs_access()) context_.log_access(*this, status, bytes, time);
  const auto slow = static_cast<std::uint64_t>(context_.settings().slow.count()) * 1'000'000;
  if (slow != 0 && time >= slow && logged) log_slow(status, bytes, time);
}

void HttpExchange::finish(Status status, std::size_t bytes) {
  complete(status, bytes);
  release();
}

// Where the time of a request went. The loop is busy with others during "queue"; a handler waits for content, or runs,
// in the part of "handler" that no other number names.
void HttpExchange::log_slow(Status status, std::size_t bytes, std::uint64_t nanoseconds) {
  const auto milliseconds = [](std::uint64_t time) { return static_cast<double>(time / 1000) * 1e-3; };
  const std::uint64_t writing = answered_ == 0 ? 0 : started_ + nanoseconds - answered_;
  std::uint64_t pool_queue = 0;
  std::uint64_t pool = 0;
  std::uint64_t database = 0;
  std::uint64_t others = 0;
  for (const coro::WaitLog::Total& total : wait_log_.totals()) {
    if (total.what == nullptr) break;
    const std::string_view what = total.what;
    auto& sum = what == "pool queue"           ? pool_queue
                : what == "pool"               ? pool
                : what.starts_with("database") ? database
                                               : others;
    sum += total.nanoseconds;
  }
  const LogFields fields = {{"status", code(status)},
                            {"bytes", bytes},
                            {"milliseconds", milliseconds(nanoseconds)},
                            {"queue", milliseconds(queued_)},
                            {"handler", milliseconds(nanoseconds - writing)},
                            {"pool_queue", milliseconds(pool_queue)},
                            {"pool", milliseconds(pool - std::min(pool, pool_queue))},
                            {"database", milliseconds(database)},
                            {"other_waits", milliseconds(others)},
                            {"writing", milliseconds(writing)},
                            {"remote", remote()}};
  log({LogLevel::Warning, "slow", "was slow", fields, &request_});
}

const char* HttpExchange::awaited() const noexcept {
  if (const char* const what = wait_log_.current()) return what;
  return awaits_content() ? "content" : nullptr;
}

namespace {

Refusal refusal_of(StreamError::Kind kind) noexcept {
  switch (kind) {
    case StreamError::TooLarge: return Refusal::ContentTooLarge;
    case StreamError::TooSlow: return Refusal::ContentTooSlow;
    case StreamError::Overloaded: return Refusal::ContentMemory;
    case StreamError::Disconnected:
    case StreamError::Malformed: break;
  }
  return Refusal::ContentMalformed;
}

}  // namespace

void HttpExchange::fail(const StreamError& error) noexcept {
  if (!error_ && error.kind() != StreamError::Disconnected) context_.counters().refuse(refusal_of(error.kind()));
  error_ = error;
}

void HttpExchange::keep_trailer(const Field& trailer) noexcept {
  try {
    request_.head().trailers.add(arena().copy(trailer.name), arena().copy(trailer.value));
  } catch (const std::bad_alloc&) {
    fail(StreamError::Overloaded);
  }
}

const TlsFacts* HttpExchange::tls() {
  const tls::Session* session = host_ != nullptr ? host_->session() : nullptr;
  if (tls_ != nullptr || session == nullptr) return tls_;
  tls_ = &arena().make<TlsFacts>();
  tls_->version = arena().copy(session->version());
  tls_->cipher = arena().copy(session->cipher());
  tls_->server_name = arena().copy(session->server_name());
  tls_->protocol = arena().copy(session->protocol());
  if (const auto certificate = session->client_certificate()) describe_client(*certificate, arena(), *tls_);
  return tls_;
}

void HttpExchange::disconnect() noexcept {
  listener_ = listener();
  try {
    remote();  // while the host exists
    scheme();
    tls();
  } catch (const std::bad_alloc&) {  // then the handler has no data about its peer
  }
  host_ = nullptr;
  if (!ended_) {  // otherwise it can still be read
    chunk_ = {};
    fail(StreamError::Disconnected);
  }
  stop_.stop();
  wake();
  if (stream_) stream_->wake();  // last: the end of the stream releases this exchange
}

void HttpExchange::release() noexcept {
  context_.release(*this);
}

void HttpExchange::leave_host() noexcept {
  if (in_progress_) return disconnect();
  release();
}

void HttpExchange::prepare(std::size_t size, std::size_t waiting) {
  constexpr std::size_t max_ahead = 16;  // times the received bytes
  std::string& whole = request_.collected_body();
  const std::size_t before = whole.size();
  const std::size_t come = before + waiting;
  const bool earned = announced_ <= max_ahead * come;
  if (before + size <= whole.capacity() && (!earned || announced_ <= whole.capacity())) return;
  if (!earned) return make_room(size, waiting);
  net::BufferPool& pool = context_.loop().buffer_pool();
  std::string room = pool.take(announced_);
  // Reused memory is already allocated, so all of it counts.
  if (room.capacity() >= announced_ && !charge_collected(room.capacity())) pool.give(std::exchange(room, {}));
  room.reserve(announced_);
  room.assign(whole);
  whole = std::move(room);
}

void HttpExchange::wake() {
  const coro::ContextScope scope(work_context());
  if (waiting_) resume_reader(std::exchange(waiting_, nullptr));
}

void HttpExchange::keep_chunk() {
  if (!chunk_.empty() && !ended_) chunk_ = arena().copy(chunk_);
}

// A request whose client has disconnected.
void HttpExchange::abandon() noexcept {
  in_flight_ = false;
  LoopCounters& counters = context_.counters();
  --counters.requests_of(spoken_);
  ++counters.abandoned;
  if (observed_ && context_.settings().observer != nullptr) context_.settings().observer->on_abandoned(*this);
}

void HttpExchange::reset() noexcept {
  if (in_flight_) abandon();
  // First: their frames may refer to objects in the arena.
  stream_.reset();
  task_ = {};
  tls_ = nullptr;
  std::string& collected = request_.collected_body();
  if (collected.capacity() >= net::BufferPool::min_buffer_size)
    context_.loop().buffer_pool().give(std::exchange(collected, {}));
  recycle();
  if (charged_ != 0) context_.shared().memory.give_back(std::exchange(charged_, 0));
  host_ = nullptr;
  waiting_ = nullptr;
  chunk_ = {};
  ended_ = asked_ = false;
  error_.reset();
  received_ = 0;
  if (std::exchange(started_, 0) != 0) {
    wait_log_.reset();
    stop_.set_wait_log(nullptr);
  }
  if (!remote_.empty()) remote_.clear();
  from_proxy_ = peer_is_trusted_ = false;
}

}  // namespace tern::exchange
