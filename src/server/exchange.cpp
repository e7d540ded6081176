#include "server/exchange.hpp"

#include "server/log.hpp"
#include "server/worker.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

namespace tern::server {
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

HttpExchange::HttpExchange(Worker& worker, std::size_t loop_index) : worker_(worker) {
  loop_index_ = loop_index;
}

void HttpExchange::begin(ExchangeHost& host, const Limits& limits) {
  host_ = &host;
  limits_ = limits;
  if (!worker_.shared().settings.trusted.empty()) [[unlikely]]
    look_behind_proxies();
}

void HttpExchange::look_behind_proxies() {
  const Settings& settings = worker_.shared().settings;
  const Origin origin =
      origin_of(request_.fields(), host_->remote(), host_->scheme(), settings.trusted, settings.forwarded);
  remote_ = origin.address.host();
  port_ = origin.address.port();
  scheme_ = origin.scheme;
  told_ = true;
}

bool HttpExchange::start(ResponseTask task) {
  // The task has not begun yet, so that nothing has taken views that this would leave behind. One for which the
  // exchange is not pinned yet takes none: it may come to its end first.
  if (pinned() || !chunk_.empty()) {
    pin();
    chunk_ = arena().copy(chunk_);
  }
  task_ = std::move(task);
  task_.inherit_stop(&stop_);
  if (task_.start(&HttpExchange::on_done, this)) return true;
  in_progress_ = true;
  pin();
  return false;
}

void HttpExchange::on_done(void* context) {
  auto& exchange = *static_cast<HttpExchange*>(context);
  exchange.in_progress_ = false;
  if (exchange.host_ != nullptr) {
    return exchange.attempt([&] { exchange.host_->complete(exchange.task_.result()); });
  }
  exchange.after_ = exchange.task_.result().take_after();
  exchange.worker_.release(exchange);
}

bool HttpExchange::start_stream(Response& response) {
  status_ = response.status();
  stream_ = std::make_unique<ResponseStream>(*this, worker_.loop(), response.take_producer());
  const bool ended = stream_->start(stop_, &HttpExchange::on_streamed, this);
  in_progress_ = !ended;
  return ended;
}

void HttpExchange::on_streamed(void* context) {
  auto& exchange = *static_cast<HttpExchange*>(context);
  exchange.in_progress_ = false;
  if (exchange.host_ != nullptr) return exchange.attempt([&] { exchange.host_->end_stream(); });
  exchange.worker_.release(exchange);
}

bool HttpExchange::readable() {
  if (!asked_) {
    asked_ = true;
    if (host_ != nullptr) host_->content_is_wanted(*this);
  }
  if (error_ || ended_ || !chunk_.empty()) return true;
  return host_ == nullptr || host_->pull(*this);
}

void HttpExchange::when_readable(std::coroutine_handle<> waiting) {
  waiting_ = waiting;  // null: the one who waited has gone
  if (waiting_) host_->wait_for_content();
}

std::expected<std::string_view, StreamError> HttpExchange::read() {
  if (!readable()) return std::unexpected(StreamError::Disconnected);
  if (error_) return std::unexpected(*error_);
  if (received_ > limits_.body) return std::unexpected(StreamError::TooLarge);
  if (host_ == nullptr && !ended_) return std::unexpected(StreamError::Disconnected);
  return std::exchange(chunk_, {});
}

bool HttpExchange::charge(std::size_t bytes) {
  if (!worker_.shared().memory.take(bytes)) return false;
  charged_ += bytes;
  worker_.watch_memory();
  return true;
}

void HttpExchange::inform(Status status, const Fields& fields) {
  if (host_ != nullptr) host_->inform(status, fields);
}

void HttpExchange::report(std::string_view message) {
  worker_.shared().log.error(message);
}

std::string_view HttpExchange::remote() {
  if (remote_.empty() && host_ != nullptr) remote_ = host_->remote().host();
  return remote_;
}

std::uint16_t HttpExchange::remote_port() {
  if (told_) return port_;
  return host_ != nullptr ? host_->remote().port() : std::uint16_t{0};
}

std::string_view HttpExchange::scheme() {
  if (host_ != nullptr && !told_) scheme_ = host_->scheme();
  return scheme_;
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
  try {
    remote();  // while there is somebody to ask
    scheme();
    tls();
  } catch (const std::bad_alloc&) {  // then the handler is told nothing about its peer any more
  }
  host_ = nullptr;
  if (!ended_) {  // otherwise it can still be read
    chunk_ = {};
    fail(StreamError::Disconnected);
  }
  stop_.stop();
  wake();
  if (stream_) stream_->wake();  // the last: what ends by it gives this exchange back
}

void HttpExchange::leave_host() noexcept {
  if (in_progress_) return disconnect();
  worker_.release(*this);
}

void HttpExchange::prepare(std::size_t size, std::size_t waiting) {
  constexpr std::size_t max_ahead = 16;  // times what has come
  std::string& whole = request_.collected_body();
  const std::size_t before = whole.size();
  const std::size_t come = before + waiting;
  const bool earned = announced_ <= max_ahead * come;
  if (before + size <= whole.capacity() && (!earned || announced_ <= whole.capacity())) return;
  if (!earned) return make_room(size, waiting);
  net::BufferPool& pool = worker_.loop().buffer_pool();
  std::string room = pool.take(announced_);
  // The memory of one that was used is there already, so all of it counts.
  if (room.capacity() >= announced_ && !charge_collected(room.capacity())) pool.give(std::exchange(room, {}));
  room.reserve(announced_);
  room.assign(whole);
  whole = std::move(room);
}

void HttpExchange::wake() {
  if (waiting_) std::exchange(waiting_, nullptr).resume();
}

void HttpExchange::keep_chunk() {
  if (!chunk_.empty() && !ended_) chunk_ = arena().copy(chunk_);
}

void HttpExchange::reset() noexcept {
  // First: their frames may refer to what lives in the arena.
  stream_.reset();
  task_ = {};
  tls_ = nullptr;
  std::string& collected = request_.collected_body();
  if (collected.capacity() >= net::BufferPool::min_buffer_size)
    worker_.loop().buffer_pool().give(std::exchange(collected, {}));
  recycle();
  if (charged_ != 0) worker_.shared().memory.give_back(std::exchange(charged_, 0));
  host_ = nullptr;
  waiting_ = nullptr;
  chunk_ = {};
  ended_ = asked_ = false;
  error_.reset();
  received_ = 0;
  if (!remote_.empty()) remote_.clear();
  told_ = false;
}

}  // namespace tern::server
