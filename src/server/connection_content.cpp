// The content of a request, on its way to the exchange: presented piece by piece, or, where it is large and collected,
// received where it is collected.
#include "server/connection.hpp"
#include "server/direct_receive.hpp"
#include "server/exchange.hpp"
#include "server/worker.hpp"

#include <algorithm>
#include <new>

namespace tern::server {

bool Connection::pull(HttpExchange& exchange) {
  if (exchange.error_ || exchange.ended_) return true;
  if (protocol_.content_length().value_or(0) > exchange.limits_.body) {
    exchange.fail(StreamError::TooLarge);
    return true;
  }
  // That it has ended can be said without any bytes.
  if (!in_window_ && !protocol_.content_complete()) return false;
  http1::Event event = protocol_.next(exchange.request().head());
  for (; event == http1::Event::Trailer; event = protocol_.next(exchange.request().head())) {
    exchange.keep_trailer(protocol_.trailer());
  }
  switch (event) {
    case http1::Event::Chunk:
      exchange.chunk_ = protocol_.chunk();
      exchange.received_ += exchange.chunk_.size();
      if (exchange.received_ > exchange.limits_.body) exchange.fail(StreamError::TooLarge);
      return true;
    case http1::Event::End: exchange.ended_ = true; return true;
    case http1::Event::Reject: exchange.fail({protocol_.rejected().status, protocol_.rejected().detail}); return true;
    case http1::Event::Closed:
    case http1::Event::Request: exchange.fail(StreamError::Disconnected); return true;
    case http1::Event::Trailer:
    case http1::Event::NeedMore: break;
  }
  return false;
}

void Connection::content_is_wanted(HttpExchange& exchange) {
  if (!protocol_.expects_continue() || protocol_.content_length().value_or(0) > exchange.limits_.body) return;
  inform(Status::Continue, {});
}

void Connection::wait_for_content() {
  if (watch_ != Watch::Body) {  // otherwise the period goes on, or a byte now and then would restart it for ever
    seen_ = exchange_->received_;
    watch(Watch::Body, rate_period());
  }
  if (!in_window_ || stream_.paused()) stream_.resume();
  if (receives_directly()) stream_.allow_direct_receive(true);
}

// Large content that somebody waits for until it is complete goes from the socket to where it is collected.
bool Connection::receives_directly() const noexcept {
  return exchange_ != nullptr && exchange_->waiting_ && exchange_->collecting() && !exchange_->error_ &&
         protocol_.content_to_come() >= min_direct_receive && *protocol_.content_length() <= exchange_->limits_.body;
}

bool Connection::on_direct_receive() {
  if (other_) return !closing_ && other_->on_direct_receive();
  if (!receives_directly()) {
    stream_.allow_direct_receive(false);
    return false;
  }
  HttpExchange& exchange = *exchange_;
  const std::string& collected = exchange.request().collected_body();
  const std::size_t waiting = collected.capacity() < exchange.announced() ? stream_.waiting() : 0;
  try {
    exchange.prepare(min_direct_receive, waiting);
    take_content(exchange.request().collected_body());
  } catch (const std::bad_alloc&) {  // the loop calls this, and no coroutine
    exchange.fail(StreamError::Overloaded);
  }
  if (exchange.error_ || protocol_.content_complete()) exchange.wake();
  if (!receives_directly()) stream_.allow_direct_receive(false);
  if (exchange_ != nullptr && !exchange_->waiting_ && !exchange_->stream_) wait_for_handler();
  return true;
}

// No byte behind the content: the next request is presented.
void Connection::take_content(std::string& whole) {
  const std::size_t size = whole.size();
  const auto room = static_cast<std::size_t>(
      std::min<std::uint64_t>({whole.capacity() - size, protocol_.content_to_come(), max_direct_receive}));
  std::size_t count = 0;
  whole.resize_and_overwrite(size + room, [this, size, room, &count](char* bytes, std::size_t) {
    count = stream_.receive_into({bytes + size, room});
    return size + count;
  });
  protocol_.took_content(count);
  exchange_->received_ += count;
  // Only what has come counts, so that one may go past what all may hold by as much as is taken at once.
  if (!exchange_->charge_collected(whole.size())) exchange_->fail(StreamError::Overloaded);
}

}  // namespace tern::server
