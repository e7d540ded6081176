// The protocol-independent parts of an exchange: pinning, recycling, and reading complete content.
#include <tern/http/exchange.hpp>

#include "base/is_within.hpp"
#include "http/unavailable.hpp"

#include <tern/coro/cancelled.hpp>
#include <tern/coro/context.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace tern {
namespace {

constexpr std::size_t max_scratch_bytes = 16 * 1024;

}  // namespace

// Reads one piece into collected_body(). True at the end.
std::expected<bool, StreamError> http::collect(Exchange& exchange) {
  const auto piece = exchange.read();
  if (!piece) return std::unexpected(piece.error());
  if (piece->empty()) return true;
  const std::size_t size = exchange.request().collected_body().size() + piece->size();
  if (!exchange.charge_collected(size)) return std::unexpected(StreamError::Overloaded);
  try {
    exchange.make_room(piece->size(), piece->size());
    exchange.request().collected_body().append(*piece);
  } catch (const std::bad_alloc&) {
    return std::unexpected(StreamError::Overloaded);
  }
  return false;
}

StreamError::StreamError(Kind kind) noexcept : kind_(kind) {
  switch (kind) {
    case Disconnected:
      status_ = Status::BadRequest;
      detail_ = "the client left before the content was complete";
      return;
    case TooLarge:
      status_ = Status::ContentTooLarge;
      detail_ = "the content is larger than this resource takes";
      return;
    case Malformed:
      status_ = Status::BadRequest;
      detail_ = "the framing of the content is malformed";
      return;
    case TooSlow:
      status_ = Status::RequestTimeout;
      detail_ = "the content arrived too slowly";
      return;
    case Overloaded:
      status_ = Status::ServiceUnavailable;
      detail_ = "too much content is being received at the moment";
      return;
  }
}

Problem to_problem(const StreamError& error) {
  if (error == StreamError::Overloaded) return http::unavailable(std::string(error.detail()));
  return {error.status(), std::string(error.detail()), {}, {}};
}

Response Service::refuse_request(const Problem& problem, const Request&) const noexcept {
  return refuse(problem);
}

Response Service::refuse_instead(const Problem& problem, Exchange& exchange) const noexcept {
  return refuse_request(problem, exchange.request());
}

Response Exchange::refuse(const Problem& problem) const noexcept {
  return service_->refuse_request(problem, request_);
}

void Exchange::pin() {
  if (pinned_) return;
  RequestHead& head = request_.head_;
  std::size_t total = head.target.size() + head.extension_method.size();
  for (const Field& field : head.fields) total += field.name.size() + field.value.size();
  auto* out = static_cast<char*>(arena_.allocate(total, 1));
  if (!request_.body_.empty() && request_.collected_.empty()) {  // content that was not collected
    request_.collected_ = request_.body_;
    request_.body_ = request_.collected_;
  }
  pinned_ = true;  // nothing below throws
  const auto keep = [&out](std::string_view& view) {
    if (view.empty()) return;
    std::memcpy(out, view.data(), view.size());
    view = {out, view.size()};
    out += view.size();
  };
  const std::string_view old_target = head.target;
  keep(head.target);
  keep(head.extension_method);
  // Views into the target move with it; decoded parameters are in the arena already.
  const auto follow = [&old_target, &head](std::string_view& view) {
    if (!base::is_within(view, old_target)) return;
    view = {head.target.data() + (view.data() - old_target.data()), view.size()};
  };
  follow(head.parts.path);
  follow(head.parts.query);
  follow(head.parts.authority);
  for (std::size_t i = 0; i < request_.value_count_; ++i) follow(request_.values_[i]);
  for (Field& field : head.fields.items()) {
    keep(field.name);
    keep(field.value);
  }
}

// Reserves announced content in large steps, but at most sixteen times the received bytes: an announcement alone
// reserves nothing.
void Exchange::make_room(std::size_t size, std::size_t come) {
  constexpr std::size_t serious = 64 * 1024;
  constexpr std::size_t max_ahead = 16;
  std::string& whole = request_.collected_;
  const std::size_t needed = whole.size() + size;
  if (needed <= whole.capacity() || needed < serious || announced_ < needed) return;
  const std::size_t earned = std::max(needed, max_ahead * (whole.size() + come));
  whole.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(announced_, earned)));
}

bool Exchange::charge_collected(std::size_t size) {
  if (size <= counted_) return true;
  if (!charge(size - counted_)) return false;
  counted_ = size;
  return true;
}

void Exchange::recycle() noexcept {
  request_.clear();
  arena_.clear();
  stop_.reset();
  work_context_ = nullptr;
  decoded_ = nullptr;
  body_complete_ = true;
  pinned_ = collecting_ = false;
  counted_ = 0;
}

void Exchange::give_scratch(std::string used) noexcept {
  if (used.capacity() > scratch_.capacity() && used.capacity() <= max_scratch_bytes) {
    used.clear();
    scratch_ = std::move(used);
  }
}

namespace http {

// Set while read_body() waits; its frame may be destroyed in the meantime.
class Collecting {
public:
  Collecting(bool& collecting, bool starts) noexcept : collecting_(collecting) { collecting_ = starts; }
  ~Collecting() { collecting_ = false; }
  Collecting(const Collecting&) = delete;
  Collecting& operator=(const Collecting&) = delete;

private:
  bool& collecting_;
};

// The exchange resumes the coroutine directly, while the piece is in view; only a stop schedules a turn.
bool ContentWait::wait(std::coroutine_handle<> waiting, StopState* stop) {
  stopped_ = stop != nullptr && stop->stopped();
  if (stopped_ || exchange_.readable()) return false;
  exchange_.when_readable(waiting);
  waiting_ = waiting;
  context_ = coro::Context::current();
  executor_ = Executor::current();
  if (stop != nullptr && executor_ != nullptr) watch(StopToken(*stop));
  return true;
}

// The exchange, which resumes the coroutine, restores the context afterwards.
void ContentWait::await_resume() {
  if (std::exchange(waiting_, nullptr)) coro::Context::make_current(context_);
  unwatch();
  if (stopped_) throw Cancelled();
}

void ContentWait::on_stop() noexcept {
  exchange_.when_readable(nullptr);
  stopped_ = true;
  executor_->schedule(*this);
}

void ContentWait::on_turn() noexcept {
  const coro::ContextScope scope(context_);
  waiting_.resume();
}

}  // namespace http

std::expected<void, StreamError> read_complete_body(Exchange& exchange) {
  Request& request = exchange.request();
  if (!exchange.pinned()) {
    // Within this iteration, the first piece need not be copied if it is the only one.
    const auto first = exchange.read();
    if (!first) return std::unexpected(first.error());
    if (first->empty()) return {};
    if (!exchange.readable()) return std::unexpected(StreamError::Disconnected);
    const std::string_view kept = *first;
    const auto second = exchange.read();
    if (!second) return std::unexpected(second.error());
    if (second->empty()) {
      request.set_body(kept);
      return {};
    }
    if (!exchange.charge_collected(kept.size() + second->size())) return std::unexpected(StreamError::Overloaded);
    try {
      request.collected_body().append(kept).append(*second);
    } catch (const std::bad_alloc&) {
      return std::unexpected(StreamError::Overloaded);
    }
  }
  while (true) {
    const auto ended = http::collect(exchange);
    if (!ended) return std::unexpected(ended.error());
    if (*ended) break;
  }
  request.set_body(request.collected_body());
  return {};
}

Task<std::expected<void, StreamError>> read_body(Exchange& exchange) {
  exchange.pin();
  // Content that is decoded cannot be received directly into the collected content.
  const http::Collecting collecting(exchange.collecting_, !exchange.decodes());
  while (true) {
    co_await http::ContentWait(exchange);
    const auto ended = http::collect(exchange);
    if (!ended) co_return std::unexpected(ended.error());
    if (*ended) break;
  }
  exchange.request().set_body(exchange.request().collected_body());
  co_return std::expected<void, StreamError>();
}

}  // namespace tern
