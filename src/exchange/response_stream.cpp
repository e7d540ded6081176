#include "exchange/response_stream.hpp"

#include "exchange/http_exchange.hpp"
#include "exchange/loop_context.hpp"
#include "websockets/stream_subscriber.hpp"

#include <tern/http/file_range.hpp>

#include <utility>

namespace tern::exchange {
namespace {

constexpr std::size_t max_buffered = 32 * 1024;   // bytes that are sent before the end of the iteration
constexpr std::size_t max_waiting = 256 * 1024;   // bytes that wait for the client before the producer has to
constexpr std::size_t max_at_once = 1024 * 1024;  // bytes before other connections have their turn
constexpr std::size_t encoding_cost = 8;          // of a byte that is compressed: 4 ms for `max_at_once`
constexpr std::size_t longest_filler = 64;

}  // namespace

ResponseStream::ResponseStream(HttpExchange& exchange, net::Loop& loop, base::Box<http::Producer> producer)
    : exchange_(exchange), loop_(loop), producer_(std::move(producer)) {}

ResponseStream::~ResponseStream() {
  loop_.disarm(*this);
}

bool ResponseStream::start(StopState& stop, void (*call)(void*), void* context) {
  task_ = producer_->run(*this);
  task_.set_stop(&stop);
  return task_.start(call, context);
}

bool ResponseStream::succeeded(bool may_stop) noexcept {
  try {
    task_.result();
    return true;
  } catch (const Cancelled&) {
    return may_stop && !producer_->length();
  } catch (const std::exception& error) {
    exchange_.report(std::string("a streamed response broke off: ") + error.what());
  } catch (...) {
    exchange_.report("a streamed response broke off: an exception that is no std::exception");
  }
  return false;
}

void ResponseStream::take(std::string_view bytes) {
  quiet_ = false;
  turn_bytes_ += encodes() ? encoding_cost * bytes.size() : bytes.size();
  frame(encoded(bytes));
  if (buffer_.size() >= max_buffered) flush();
  loop_.at_iteration_end(*this);
}

void ResponseStream::frame(std::string_view bytes) {
  if (bytes.empty()) return;
  bytes_ += bytes.size();
  exchange_.host()->frame(buffer_, bytes);
}

bool ResponseStream::takes_files() const {
  return !gone() && exchange_.host()->takes_files();
}

void ResponseStream::take_file(const http::FileRange& range) {
  quiet_ = false;
  bytes_ += range.length;
  turn_bytes_ += range.length;
  exchange_.host()->frame_file(buffer_, range);
  flush();
}

void ResponseStream::flush() {
  if (ExchangeHost* host = exchange_.host(); host != nullptr && !buffer_.empty()) host->send_framed(buffer_);
}

void ResponseStream::on_iteration_end() noexcept {
  if (gone()) return;
  exchange_.attempt([this] {
    frame(flushed());
    flush();
  });
}

void ResponseStream::finish() {
  exchange_.host()->frame_end(buffer_, trailers_);
  flush();
}

bool ResponseStream::gone() const {
  return exchange_.host() == nullptr;
}

bool ResponseStream::writable() const {
  const ExchangeHost& host = *exchange_.host();
  return turn_bytes_ < max_at_once && host.is_open() && host.unsent() + buffer_.size() <= max_waiting;
}

// A client that reads as fast as the server writes must not starve the other connections: the producer continues in the
// next iteration.
void ResponseStream::on_wait() noexcept {
  if (turn_bytes_ >= max_at_once && !scheduled()) loop_.schedule(*this);
}

void ResponseStream::on_turn() noexcept {
  turn_bytes_ = 0;
  wake();
}

void ResponseStream::wake() {
  if (gone() || writable()) wake_waiters();
}

void ResponseStream::keep_alive(Milliseconds period, std::string_view filler) {
  keep_alive_ = period;
  filler_ = filler.substr(0, longest_filler);
  if (period.count() != 0) loop_.arm(*this, period);
}

base::Box<http::TopicSubscriptions> ResponseStream::topic_subscriptions(http::StreamTopics& topics) {
  return base::Box<http::TopicSubscriptions>(new websockets::StreamSubscriber(exchange_.context().sockets(), topics));
}

void ResponseStream::on_timer() noexcept {
  if (gone()) return;
  if (std::exchange(quiet_, true)) {
    const std::uint64_t before = bytes_;
    exchange_.attempt([this] { take(filler_); });
    bytes_ = before;
    quiet_ = true;
  }
  loop_.arm(*this, keep_alive_);
}

}  // namespace tern::exchange
