// The timeouts of a connection: one timer with changing purpose.
#include "exchange/connection.hpp"

#include "exchange/http_exchange.hpp"
#include "exchange/loop_context.hpp"
#include "http/unavailable.hpp"

#include <optional>
#include <utility>

namespace tern::exchange {

// The peer has to read queued output at a minimum rate.
void Connection::watch_answer() {
  if (deadline() == Purpose::Answer) return;
  progress_.start(stream_.undelivered(), context_.loop().now());
  set_deadline(Purpose::Answer, context_.settings().data_rate().time_to_next());
}

// How long the peer of a WebSocket or event stream may read nothing; unset if the minimum rate applies.
std::optional<Milliseconds> Connection::patience() const {
  if (closing_) return std::nullopt;
  if (other_) return other_->patience();
  return exchange_ != nullptr && exchange_->is_event_stream() ? std::optional(context_.settings().stall_timeout)
                                                              : std::nullopt;
}

// Between answers: the timeout that the core requests.
void Connection::watch_protocol() {
  const Settings& settings = context_.settings();
  if (stream_.unsent() != 0 || closing_) return;
  switch (protocol_.waiting_for()) {
    case http1::Waiting::Idle:
      if (context_.draining()) return drain();
      set_deadline(Purpose::Idle, settings.idle_timeout);
      break;
    case http1::Waiting::Head:
      if (deadline() != Purpose::Head) set_deadline(Purpose::Head, settings.head_timeout);
      break;
    case http1::Waiting::Body:  // content that is being discarded
      if (deadline() != Purpose::Head) set_deadline(Purpose::Head, settings.head_timeout);
      break;
    case http1::Waiting::Nothing: clear_deadline(); break;
  }
}

void Connection::on_deadline(Purpose purpose) noexcept {
  if (stream_.is_open()) attempt([this, purpose] { expire(purpose); });
}

void Connection::expire(Purpose purpose) {
  switch (purpose) {
    case Purpose::None: break;
    case Purpose::Idle:
    case Purpose::Linger: stream_.close(); break;
    case Purpose::Body: check_content_rate(); break;
    case Purpose::Handler: handler_expired(); break;
    case Purpose::Answer: check_answer_rate(); break;
    case Purpose::Head: head_expired(); break;
    case Purpose::Drain: drain_expired(); break;
  }
}

// The exchange continues without the connection: its token fires, and its response is discarded.
void Connection::handler_expired() {
  context_.counters().refuse(Refusal::HandlerTimeout);
  Response response = exchange_->refuse_instead(http::unavailable("the answer took too long"));
  exchange_->complete(Status::ServiceUnavailable, 0, false);  // the log has the answer
  std::exchange(exchange_, nullptr)->disconnect();
  protocol_.abandon();
  answer(context_.take_exchange(), std::move(response), false);
  closing_ = true;
  flush();
}

// Bytes that arrived meanwhile are read in this iteration of the loop or in the next.
void Connection::drain_expired() {
  if (stream_.has_unread()) return set_deadline(Purpose::Drain, Milliseconds(10));
  stream_.close();
}

void Connection::head_expired() {
  const http1::Waiting missing = protocol_.waiting_for();
  if (missing == http1::Waiting::Idle) return stream_.close();
  protocol_.abandon();
  if (missing == http1::Waiting::Head) {
    context_.counters().refuse(Refusal::HeadTimeout);
    answer_problem(context_.take_exchange(),
                   Problem{Status::RequestTimeout, "the head of the request did not arrive in time", {}, {}});
  } else {
    closing_ = true;  // content of an answered request, that was being discarded
  }
  flush();
}

// The minimum data rate held over the last period, or the waiting handler is resumed with an error.
void Connection::check_content_rate() {
  if (exchange_ == nullptr || !exchange_->awaits_content()) return;
  const MinDataRate rate = context_.settings().data_rate();
  if (rate.is_met_by(progress_.advance_to(exchange_->received(), context_.loop().now()))) {
    return set_deadline(Purpose::Body, rate.time_to_next());
  }
  protocol_.abandon();
  exchange_->fail(StreamError::TooSlow);
  exchange_->wake();
}

// If memory is low, an answer has to be read within a minute: the slowest readers are closed first.
bool Connection::hogs_memory(std::uint64_t read) const {
  const std::size_t held = stream_.held();
  const auto period = static_cast<std::uint64_t>(context_.settings().data_rate().time_to_next().count());
  return held > net::Output::large && context_.shared().memory.is_tight() &&
         read * static_cast<std::uint64_t>(Milliseconds(Seconds(60)).count()) < held * period;
}

void Connection::check_answer_rate() {
  const std::uint64_t left = stream_.undelivered();
  const std::uint64_t now = context_.loop().now();
  const std::uint64_t read = progress_.fall_to(left, now);
  if (left == 0) return;
  const MinDataRate rate = context_.settings().data_rate();
  const std::optional<Milliseconds> patient = patience();
  const bool slow = patient ? progress_.has_stalled(*patient, now) : !rate.is_met_by(read);
  update_held();
  if (slow || (!patient && hogs_memory(read))) {
    context_.counters().refuse(Refusal::ResponseTooSlow);
    return stream_.abort();
  }
  set_deadline(Purpose::Answer, rate.time_to_next());
}

}  // namespace tern::exchange
