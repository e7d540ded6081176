#include "server/response_stream.hpp"

#include "server/connection.hpp"
#include "server/exchange.hpp"

#include <utility>

namespace tern::server {
namespace {

constexpr std::size_t most_buffered = 32 * 1024;  // bytes that do not wait for the end of the round
constexpr std::size_t most_waiting = 256 * 1024;  // bytes that wait for the client before the producer does
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

void ResponseStream::take(std::string_view bytes) {
  Connection& connection = *exchange_.connection();
  quiet_ = false;
  bytes_ += bytes.size();
  connection.frame(buffer_, bytes);
  if (buffer_.size() >= most_buffered) {
    flush();
  } else {
    loop_.at_round_end(*this);
  }
}

void ResponseStream::flush() {
  if (Connection* connection = exchange_.connection(); connection != nullptr && !buffer_.empty()) {
    connection->send(buffer_);
  }
}

bool ResponseStream::gone() const {
  return exchange_.connection() == nullptr;
}

bool ResponseStream::writable() const {
  return exchange_.connection()->unsent() + buffer_.size() <= most_waiting;
}

void ResponseStream::wake() {
  if (waiting_ && (gone() || writable())) std::exchange(waiting_, nullptr).resume();
}

void ResponseStream::keep_alive(Milliseconds period, std::string_view filler) {
  keep_alive_ = period;
  filler_ = filler.substr(0, longest_filler);
  if (period.count() != 0) loop_.arm(*this, period);
}

void ResponseStream::on_timer() noexcept {
  if (gone()) return;
  if (std::exchange(quiet_, true)) {
    take(filler_);
    bytes_ -= filler_.size();
    quiet_ = true;
  }
  loop_.arm(*this, keep_alive_);
}

}  // namespace tern::server
