// The content of a request on its way to the exchange: presented in pieces or, if it is large and collected, received
// directly into the collection.
#include "exchange/connection.hpp"
#include "exchange/http_exchange.hpp"
#include "exchange/loop_context.hpp"
#include "transport/direct_receive.hpp"

#include <algorithm>
#include <new>

namespace tern::exchange {

bool Connection::pull(HttpExchange& exchange) {
  if (exchange.content_settled()) return true;
  if (protocol_.content_length().value_or(0) > exchange.limits().max_body_bytes) {
    exchange.fail(StreamError::TooLarge);
    return true;
  }
  // The end of the content can be reported without bytes.
  if (!in_window_ && !protocol_.content_complete()) return false;
  http1::Event event = protocol_.next(exchange.request().head());
  for (; event == http1::Event::Trailer; event = protocol_.next(exchange.request().head())) {
    exchange.keep_trailer(protocol_.trailer());
  }
  switch (event) {
    case http1::Event::Chunk: exchange.offer_content(protocol_.chunk()); return true;
    case http1::Event::End: exchange.end_content(); return true;
    case http1::Event::Reject:
      ++context_.counters().faults[static_cast<std::size_t>(protocol_.fault())];
      exchange.fail({protocol_.rejected().status, protocol_.rejected().detail});
      return true;
    case http1::Event::Closed:
    case http1::Event::Request: exchange.fail(StreamError::Disconnected); return true;
    case http1::Event::Trailer:
    case http1::Event::NeedMore: break;
  }
  return false;
}

void Connection::content_is_wanted(HttpExchange& exchange) {
  if (!protocol_.expects_continue() || protocol_.content_length().value_or(0) > exchange.limits().max_body_bytes)
    return;
  inform(Status::Continue, {});
}

void Connection::wait_for_content() {
  if (deadline() != Purpose::Body) {  // rare single bytes must not restart the period
    progress_.start(exchange_->received(), context_.loop().now());
    set_deadline(Purpose::Body, context_.settings().data_rate().time_to_next());
  }
  if (!in_window_ || stream_.paused()) stream_.resume();
  if (receives_directly()) stream_.allow_direct_receive(true);
}

// Large content that a handler awaits completely is received directly into the collected content.
bool Connection::receives_directly() const noexcept {
  return exchange_ != nullptr && exchange_->awaits_whole_content() &&
         protocol_.remaining_content() >= transport::min_direct_receive &&
         *protocol_.content_length() <= exchange_->limits().max_body_bytes;
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
    exchange.prepare(transport::min_direct_receive, waiting);
    take_content(exchange.request().collected_body());
  } catch (const std::bad_alloc&) {  // called by the loop, not by a coroutine
    exchange.fail(StreamError::Overloaded);
  }
  if (exchange.has_failed() || protocol_.content_complete()) exchange.wake();
  if (!receives_directly()) stream_.allow_direct_receive(false);
  if (exchange_ != nullptr && !exchange_->awaits_content() && exchange_->stream() == nullptr) wait_for_handler();
  return true;
}

// No bytes follow the content: the next request is presented.
void Connection::take_content(std::string& whole) {
  const std::size_t size = whole.size();
  const auto room = static_cast<std::size_t>(
      std::min<std::uint64_t>({whole.capacity() - size, protocol_.remaining_content(), transport::max_direct_receive}));
  std::size_t count = 0;
  whole.resize_and_overwrite(size + room, [this, size, room, &count](char* bytes, std::size_t) {
    count = stream_.receive_into({bytes + size, room});
    return size + count;
  });
  protocol_.advance_content(count);
  exchange_->add_collected(count);
}

}  // namespace tern::exchange
