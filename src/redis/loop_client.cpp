#include "redis/loop_client.hpp"

#include "redis/address.hpp"
#include "redis/reply.hpp"

#include <tern/coro/context.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>

#include <hiredis/hiredis.h>

#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace tern::redis {
namespace {

constexpr std::size_t slot_overhead = 128;  // bytes per command in the queue, in addition to its own

}  // namespace

LoopClient::LoopClient(Client& client, Executor& executor)
    : Attachment(&client), client_(client), options_(client.options()), executor_(executor) {}

LoopClient::~LoopClient() {
  executor_.timers().disarm(*this);
  task_ = {};
  for (Slot& slot : slots_) {
    if (slot.waiter != nullptr) slot.waiter->slot_ = nullptr;
  }
  client_.remove(*this);
}

void LoopClient::on_executor_end() noexcept {
  delete this;
}

void LoopClient::end() noexcept {
  fail_all(RedisFault::Unavailable, " is not available", "the last copy of the client was destroyed");
  delete this;
}

// --- Commands

void LoopClient::enter(CommandWait& waiter) {
  const auto refuse = [this](RedisFault fault, const std::string& why) {
    LoopStatistics::add(statistics_.refused);
    throw RedisError(fault, client_.name() + why);
  };
  if (state_ == State::Down) refuse(RedisFault::Unavailable, " is not available (" + fault_ + ')');
  const Request& request = waiter.request_;
  const std::size_t bytes = request.text.size() + slot_overhead;
  if (bytes_ + bytes > options_.max_queued) refuse(RedisFault::Overloaded, ": too many commands wait for a reply");
  Slot& slot = slots_.emplace_back(Slot{&waiter, bytes, request.ends.size() + 1, executor_.timers().now(), false, {}});
  bytes_ += bytes;
  show_queue();
  waiter.slot_ = &slot;
  if (!armed()) executor_.timers().arm(*this, client_.reply_timeout());
  if (state_ == State::Ready) return send(slot);
  if (state_ == State::Idle) connect();
}

void LoopClient::send(Slot& slot) {
  const Request& request = slot.waiter->request_;
  const std::string_view text = request.text;
  std::size_t begin = 0;
  for (const std::size_t end : request.ends) {
    connection_->send(text.substr(begin, end - begin));
    begin = end;
  }
  connection_->send(text.substr(begin));
}

void LoopClient::on_reply(Connection&, const redisReply& reply) {
  received_at_ = executor_.timers().now();
  state_ == State::Ready ? receive(reply) : on_greeting(reply);
}

void LoopClient::receive(const redisReply& reply) {
  if (slots_.empty()) return;  // an unsolicited error: hiredis closes the connection
  Slot& slot = slots_.front();
  RedisReply value = slot.waiter != nullptr ? reply_of(reply) : RedisReply();
  if (--slot.replies != 0) {
    if (value.kind == RedisReply::Kind::Error && slot.error.text.empty()) slot.error = std::move(value);
    return;
  }
  if (slot.waiter != nullptr) {
    if (!slot.error.text.empty()) value = std::move(slot.error);
    count(slot, value.kind == RedisReply::Kind::Error ? statistics_.errors : statistics_.successes);
    slot.waiter->complete(std::move(value));
  }
  pop();
}

void LoopClient::count(Slot& slot, LoopStatistics::Number& outcome) noexcept {
  if (!std::exchange(slot.counted, true)) LoopStatistics::add(outcome);
}

void LoopClient::pop() noexcept {
  count(slots_.front(), statistics_.cancelled);
  bytes_ -= slots_.front().bytes;
  slots_.pop_front();
  show_queue();
}

void LoopClient::show_queue() noexcept {
  LoopStatistics::set(statistics_.unanswered, slots_.size());
  LoopStatistics::set(statistics_.queued_bytes, bytes_);
}

void LoopClient::set_state(State state) noexcept {
  state_ = state;
  LoopStatistics::set(statistics_.connections, state == State::Ready ? 1 : 0);
}

void LoopClient::fail_all(RedisFault fault, std::string_view what, std::string_view why) noexcept {
  std::exception_ptr error;
  try {
    std::string text = client_.name();
    text.append(what).append(" (").append(why).append(")");
    error = std::make_exception_ptr(RedisError(fault, text));
  } catch (...) {
    error = std::current_exception();
  }
  while (!slots_.empty()) {
    if (CommandWait* waiter = slots_.front().waiter) {
      count(slots_.front(), statistics_.errors);
      waiter->fail(error);
    }
    pop();
  }
}

void LoopClient::abandon() noexcept {
  if (state_ != State::Ready) return;  // it was not sent
  connection_.reset();
  set_state(State::Idle);
  fail_all(RedisFault::Lost, " is lost", "the command before has been abandoned");
}

// Times of slots ascend: all have the same timeout.
void LoopClient::on_timer() noexcept {
  const std::uint64_t now = executor_.timers().now();
  const auto timeout = static_cast<std::uint64_t>(client_.reply_timeout().count());
  const bool stuck = !slots_.empty() && slots_.front().since + timeout <= now && received_at_ + timeout <= now;
  auto slot = slots_.begin();
  for (; slot != slots_.end() && slot->since + timeout <= now; ++slot) {
    if (slot->waiter != nullptr) expire(*slot, now);
  }
  const std::uint64_t next = slot == slots_.end() ? timeout : slot->since + timeout - now;
  if (!slots_.empty()) executor_.timers().arm(*this, Milliseconds(static_cast<std::int64_t>(next)));
  if (!stuck || state_ != State::Ready) return;
  connection_.reset();
  set_state(State::Idle);
  fail_all(RedisFault::Lost, " is lost", "no answer within the timeout");
}

void LoopClient::expire(Slot& slot, std::uint64_t now) noexcept {
  std::exception_ptr error;
  try {
    const RedisFault fault = state_ == State::Ready ? RedisFault::TimedOut : RedisFault::Unavailable;
    const auto waited = Milliseconds(static_cast<std::int64_t>(now - slot.since));
    const std::string what = connection_ ? connection_->no_answer(waited) : no_answer(waited);
    error = std::make_exception_ptr(RedisError(fault, client_.name() + ": " + what));
  } catch (...) {
    error = std::current_exception();
  }
  count(slot, statistics_.errors);
  std::exchange(slot.waiter, nullptr)->fail(std::move(error));
}

// --- Connecting

void LoopClient::connect() {
  task_ = run();
  set_state(State::Connecting);
  const coro::ContextScope own(nullptr);  // not that of the request that needs it
  if (task_.start([](void*) {}, nullptr)) return;
}

Task<> LoopClient::run() {
  while (true) {
    try {
      fault_ = co_await attempt();
    } catch (const std::bad_alloc&) {
      fault_ = "no memory";  // short enough for no allocation
    } catch (const Overloaded&) {
      fault_ = "overloaded";  // the pool that resolves names
    }
    if (fault_.empty()) co_return;
    set_state(State::Down);
    connection_.reset();
    fail_all(RedisFault::Unavailable, " is not available", fault_);
    co_await sleep_for(backoff_.next(options_.retry));
  }
}

// Returns when the connection is ready: empty. Otherwise, the fault of the last address.
Task<std::string> LoopClient::attempt() {
  const Addresses addresses = co_await find_addresses(options_);
  if (!addresses) co_return addresses.error();
  std::string fault = "the name has no address";
  for (const std::string& address : *addresses) {
    settled_.reset();
    attempt_fault_.clear();
    greetings_ = 0;
    Connection::Observer& observer = *this;
    connection_ = std::make_unique<Connection>(observer);
    connection_->allow_any_reply(options_.max_reply);
    connection_->open(options_, address, client_.tls());
    bool in_time = true;
    try {
      co_await with_timeout(options_.timeout, settled_.wait());
    } catch (const TimedOut&) {
      in_time = false;
    }
    if (state_ == State::Ready) co_return std::string();
    fault = in_time ? attempt_fault_ : connection_->no_answer(options_.timeout);
    if (fault.empty()) break;
  }
  co_return fault;
}

// The PING finds a server that accepts connections and does not answer, or that is still loading its data.
void LoopClient::on_connected(Connection& connection) {
  if (!options_.password.empty()) {
    ++greetings_;
    connection.send(options_.username.empty() ? encode("AUTH", options_.password)
                                              : encode("AUTH", options_.username, options_.password));
  }
  if (options_.database != 0) {
    ++greetings_;
    connection.send(encode("SELECT", options_.database));
  }
  ++greetings_;
  connection.send(encode("PING"));
}

void LoopClient::on_greeting(const redisReply& reply) {
  if (settled_.is_set()) return;
  const std::string_view text = reply.str == nullptr ? std::string_view() : std::string_view(reply.str, reply.len);
  // A user may lack the permission for PING, and have others.
  const bool harmless = greetings_ == 1 && text.starts_with("NOPERM");
  if (reply.type == REDIS_REPLY_ERROR && !harmless) {
    attempt_fault_ = text;
    return settled_.set();
  }
  if (--greetings_ == 0) greeted();
}

void LoopClient::greeted() {
  set_state(State::Ready);
  if (std::exchange(was_connected_, true)) LoopStatistics::add(statistics_.reconnects);
  backoff_.reset();
  settled_.set();
  // A command whose coroutine was stopped keeps its place.
  for (Slot& slot : slots_) slot.waiter != nullptr ? send(slot) : send_filler(slot);
}

void LoopClient::send_filler(Slot& slot) {
  slot.replies = 1;
  connection_->send(encode("PING"));
}

// Called from within the connection, which is destroyed by the next attempt.
void LoopClient::on_lost(Connection&, std::string_view why) noexcept {
  const bool was_ready = state_ == State::Ready;
  if (was_ready) set_state(State::Idle);
  try {
    if (!was_ready) attempt_fault_ = why;
  } catch (const std::bad_alloc&) {
    attempt_fault_ = "no memory";  // short enough for no allocation
  }
  if (!was_ready) return settled_.set();
  fail_all(RedisFault::Lost, " is lost", why);
}

}  // namespace tern::redis
