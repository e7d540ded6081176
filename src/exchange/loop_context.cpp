#include "exchange/loop_context.hpp"

#include "logging/access_log.hpp"
#include "logging/log.hpp"

#include <tern/coro/offload.hpp>
#include <tern/http/date.hpp>

#include <chrono>
#include <new>
#include <utility>

namespace tern::exchange {
namespace {

constexpr Milliseconds log_delay{100};        // for a line to wait for others
constexpr std::size_t log_batch = 64 * 1024;  // bytes that are written at once

}  // namespace

LoopContext::LoopContext(SharedState& shared, net::Loop& loop, std::size_t index, LoopOwner& owner)
    : shared_(shared), loop_(loop), index_(index), owner_(owner) {
  date_.reserve(64);  // so that set_time() allocates nothing
  log_time_.reserve(64);
}

LoopContext::~LoopContext() {
  flush_log();
}

// --- Connections ---

bool LoopContext::add_connection(net::Descriptor socket, const net::Address& remote,
                                 const transport::ConnectionConfig& config) {
  try {
    auto connection = std::make_unique<Connection>(*this);
    connection->open(std::move(socket), remote, config);
    connections_.push_front(*connection.release());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void LoopContext::remove(Connection& connection) noexcept {
  discard_output(connection);
  if (writer_ == &connection) writer_ = nullptr;
  base::IntrusiveList<Connection>::remove(connection);
  delete &connection;
  ++counters_.closed;
  const std::size_t before = shared_.connections.fetch_sub(1, std::memory_order_relaxed);
  owner_.on_connection_closed(before == settings().connections);
}

void LoopContext::drain() {
  draining_ = true;
  connections_.for_each([](Connection& connection) { connection.attempt([&connection] { connection.drain(); }); });
}

void LoopContext::abort() {
  connections_.for_each([](Connection& connection) { connection.abort(); });
  if (sockets_) sockets_->stop();
}

void LoopContext::clear() noexcept {
  for (const auto& exchange : all_exchanges_) exchange->end_stream();  // it may have subscribed to topics
  sockets_.reset();
  free_exchanges_.clear();
  all_exchanges_.clear();
}

websockets::WebSocketHub& LoopContext::sockets() {
  if (!sockets_) {
    sockets_ = std::make_unique<websockets::WebSocketHub>(loop_, shared_.log, shared_.sockets, counters_.sockets,
                                                          [this] { owner_.on_exchange_ended(); });
  }
  return *sockets_;
}

// --- Exchanges ---

HeldExchange LoopContext::take_exchange() {
  if (free_exchanges_.empty()) [[unlikely]] {
    auto exchange = std::make_unique<HttpExchange>(*this, index_);
    free_exchanges_.reserve(all_exchanges_.size() + 1);
    free_exchanges_.push_back(all_exchanges_.emplace_back(std::move(exchange)).get());
  }
  ++exchanges_in_use_;
  HttpExchange* exchange = free_exchanges_.back();
  free_exchanges_.pop_back();
  return {exchange, {this}};
}

void LoopContext::release(HttpExchange& exchange) noexcept {
  if (auto work = exchange.take_after()) owner_.run_after_response(std::move(work));
  exchange.reset();
  free_exchanges_.push_back(&exchange);  // has room
  --exchanges_in_use_;
  if (draining_) owner_.on_exchange_ended();
}

// --- Heads and logs ---

void LoopContext::set_time(std::int64_t unix_seconds) {
  date_.clear();
  append_imf_fixdate(date_, unix_seconds);
  cached_response_head_.set(date_, settings().server_name);
  if (!logs_access()) return;
  log_time_.clear();
  logging::append_log_time(log_time_, unix_seconds);
}

std::uint64_t LoopContext::nanoseconds() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

bool LoopContext::samples_access(Status status, std::uint64_t nanoseconds) noexcept {
  const Settings& now = settings();
  if (now.access_one_in <= 1 || code(status) >= 500) return true;
  const auto slow = static_cast<std::uint64_t>(now.slow.count()) * 1'000'000;
  if (slow != 0 && nanoseconds >= slow) return true;
  if (++skipped_accesses_ < now.access_one_in) return false;
  skipped_accesses_ = 0;
  return true;
}

void LoopContext::log_access(HttpExchange& exchange, Status status, std::size_t bytes, std::uint64_t nanoseconds) {
  if (!samples_access(status, nanoseconds)) return;
  logging::AccessEntry entry;
  entry.remote = exchange.remote();
  entry.time = log_time_;
  entry.status = status;
  entry.bytes = exchange.request().method() == Method::Head || forbids_content(status) ? 0 : bytes;
  entry.microseconds = nanoseconds / 1000;
  const std::size_t before_line = log_lines_.size();
  try {
    logging::append_access_line(log_lines_, settings().access, entry, exchange.request(), settings().secrets);
  } catch (const std::bad_alloc&) {
    log_lines_.resize(before_line);  // whole lines or none
    shared_.log.lose(1);
  }
  if (log_lines_.size() >= log_batch) {
    flush_log();
  } else if (!log_timer_.armed()) {
    loop_.arm(log_timer_, log_delay);
  }
}

void LoopContext::flush_log() {
  if (!log_lines_.empty()) shared_.log.access(std::exchange(log_lines_, {}));
}

void LoopContext::trim_memory() {
  if (!shared_.memory.had_burst()) return;
  if (!shared_.memory.burst_is_over()) return loop_.arm(trim_timer_, trim_period);
  if (Offloader* pool = loop_.offloader()) shared_.memory.trim(*pool);
}

}  // namespace tern::exchange
