// The timeouts of a connection: one timer, and what it is about at the moment.
#include "server/connection.hpp"

#include "http/unavailable.hpp"
#include "server/exchange.hpp"
#include "server/worker.hpp"

#include <optional>
#include <utility>

namespace tern::server {

// The timer is moved only when the deadline comes nearer; one that goes off too early looks at the deadline again. So
// the idle deadline of a busy connection costs a store.
void Connection::watch(Watch what, Milliseconds timeout) {
  watch_ = timeout.count() == 0 ? Watch::None : what;
  if (watch_ == Watch::None) return;
  deadline_ = worker_.loop().now() + static_cast<std::uint64_t>(timeout.count());
  if (armed() && armed_for_ <= deadline_) return;
  armed_for_ = deadline_;
  worker_.loop().arm(*this, timeout);
}

// The peer has to read what waits for it, at a least rate.
void Connection::watch_answer() {
  if (watch_ == Watch::Answer) return;
  seen_ = stream_.undelivered();
  progressed_ = worker_.loop().now();
  watch(Watch::Answer, rate_period());
}

// How long the peer may take nothing of a WebSocket or a stream of events; nothing where the least rate holds.
std::optional<Milliseconds> Connection::patience() const {
  if (closing_) return std::nullopt;
  if (other_) return other_->patience();
  const bool is_event_stream = exchange_ != nullptr && exchange_->stream_ && exchange_->stream_->ends_with_peer();
  return is_event_stream ? std::optional(worker_.shared().settings.stall_timeout) : std::nullopt;
}

// Between answers: which timeout the core asks for.
void Connection::watch_protocol() {
  const Settings& settings = worker_.shared().settings;
  if (stream_.unsent() != 0 || closing_) return;
  switch (protocol_.waiting_for()) {
    case http1::Waiting::Idle:
      if (worker_.draining()) return drain();
      watch(Watch::Idle, settings.idle_timeout);
      break;
    case http1::Waiting::Head:
      if (watch_ != Watch::Head) watch(Watch::Head, settings.head_timeout);
      break;
    case http1::Waiting::Body:  // content that is being discarded
      if (watch_ != Watch::Head) watch(Watch::Head, settings.head_timeout);
      break;
    case http1::Waiting::Nothing: watch_ = Watch::None; break;
  }
}

void Connection::on_timer() noexcept {
  if (watch_ == Watch::None || !stream_.is_open()) return;
  const std::uint64_t now = worker_.loop().now();
  if (now < deadline_) {
    armed_for_ = deadline_;
    worker_.loop().arm(*this, Milliseconds(static_cast<std::int64_t>(deadline_ - now)));
    return;
  }
  attempt([this] { expired(); });
}

void Connection::expired() {
  switch (std::exchange(watch_, Watch::None)) {
    case Watch::None: break;
    case Watch::Idle:
    case Watch::Linger: stream_.close(); break;
    case Watch::Body: check_content_rate(); break;
    case Watch::Handler: handler_expired(); break;
    case Watch::Answer: check_answer_rate(); break;
    case Watch::Head: head_expired(); break;
    case Watch::Drain: drain_expired(); break;
  }
}

// The exchange goes its own way: its token fires, and its answer, when it comes, has no connection.
void Connection::handler_expired() {
  std::exchange(exchange_, nullptr)->disconnect();
  protocol_.abandon();
  answer_problem(worker_.take_exchange(), http::unavailable("the answer took too long"));
  closing_ = true;
  flush();
}

// Bytes that have arrived in the meantime are read in this iteration of the loop or in the next.
void Connection::drain_expired() {
  if (stream_.has_unread()) return watch(Watch::Drain, Milliseconds(10));
  stream_.close();
}

void Connection::head_expired() {
  const http1::Waiting missing = protocol_.waiting_for();
  if (missing == http1::Waiting::Idle) return stream_.close();
  protocol_.abandon();
  if (missing == http1::Waiting::Head) {
    answer_problem(worker_.take_exchange(),
                   Problem{Status::RequestTimeout, "the head of the request did not arrive in time", {}, {}});
  } else {
    closing_ = true;  // content of an answered request, that was being discarded
  }
  flush();
}

Milliseconds Connection::rate_period() const {
  const Settings& settings = worker_.shared().settings;
  return settings.min_data_rate == 0 ? Milliseconds(0) : settings.grace;
}

// At least min_data_rate bytes a second over the last period, or the one who waits is told.
void Connection::check_content_rate() {
  if (exchange_ == nullptr || !exchange_->waiting_) return;
  const Settings& settings = worker_.shared().settings;
  const std::uint64_t got = exchange_->received_ - std::exchange(seen_, exchange_->received_);
  if (got * 1000 >= settings.min_data_rate * static_cast<std::uint64_t>(settings.grace.count())) {
    watch(Watch::Body, rate_period());
    return;
  }
  protocol_.abandon();
  exchange_->fail(StreamError::TooSlow);
  exchange_->wake();
}

// Where memory is tight, an answer has to be read within a minute: what is held longest goes first.
bool Connection::hogs_memory(std::uint64_t read) const {
  const std::size_t held = stream_.held();
  const auto period = static_cast<std::uint64_t>(rate_period().count());
  return held > net::Output::large && worker_.shared().memory.is_tight() &&
         read * static_cast<std::uint64_t>(Milliseconds(Seconds(60)).count()) < held * period;
}

void Connection::check_answer_rate() {
  const Settings& settings = worker_.shared().settings;
  const std::uint64_t left = stream_.undelivered();
  const std::uint64_t before = std::exchange(seen_, left);
  if (left == 0) return;
  const std::uint64_t read = before > left ? before - left : 0;
  const std::uint64_t now = worker_.loop().now();
  if (read != 0) progressed_ = now;
  const std::optional<Milliseconds> patient = patience();
  const bool slow = patient ? has_stalled(*patient, progressed_, now)
                            : read * 1000 < settings.min_data_rate * static_cast<std::uint64_t>(settings.grace.count());
  update_held();
  if (slow || (!patient && hogs_memory(read))) return stream_.abort();
  watch(Watch::Answer, rate_period());
}

}  // namespace tern::server
