#include "redis/publisher.hpp"

#include "redis/address.hpp"

#include <tern/coro/cancelled.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>

#include <exception>
#include <new>
#include <utility>

namespace tern {
namespace {

constexpr std::size_t publication_overhead = 64;        // bytes per publication in the queue, in addition to its own
constexpr std::size_t max_unacknowledged = 256 * 1024;  // bytes in flight
constexpr Milliseconds stop_timeout = Seconds(1);       // for publications in flight when the server stops

std::string publications(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " publication" : " publications");
}

}  // namespace

// --- Start and stop

Task<> RedisBus::Publisher::start(BusHost& host) {
  tls_ = redis::make_tls(options_, "RedisBus");
  const redis::Sender sender = redis::random_sender();
  backoff_.reset();
  unacknowledged_ = 0;
  ready_at_ = lost_at_ = 0;
  logged_fault_.clear();
  foreign_messages_logged_ = false;
  first_attempt_.reset();
  ended_.reset();
  stop_.reset();
  idle_.set();
  {
    const std::lock_guard lock(mutex_);
    sender_ = sender;
    host_ = &host;
    executor_ = Executor::current();
  }
  session_task_ = run_sessions();
  session_task_.set_stop(&stop_);
  const auto call = [](void* self) { static_cast<Publisher*>(self)->ended_.set(); };
  if (session_task_.start(call, this)) ended_.set();
  try {
    co_await with_timeout(options_.timeout, first_attempt_.wait());
  } catch (const TimedOut&) {  // name resolution, or several addresses, may take longer
  }
}

Task<> RedisBus::Publisher::stop() {
  flush();
  try {
    co_await with_timeout(stop_timeout, idle_.wait());
  } catch (const TimedOut&) {  // stopping does not wait for Redis any longer
  }
  stop_.stop();
  co_await ended_;
  const std::lock_guard lock(mutex_);
  const std::size_t lost = queue_.size() + std::exchange(dropped_, 0);
  if (lost != 0) host_->warn(publications(lost) + " never reached " + redis::name_of(options_));
  if (unacknowledged_ != 0)
    host_->warn(publications(unacknowledged_) + " may not have reached " + redis::name_of(options_));
  host_ = nullptr;
}

void RedisBus::Publisher::end() noexcept {
  session_task_ = {};
  disconnected();
  const std::lock_guard lock(mutex_);
  host_ = nullptr;
  executor_ = nullptr;
  counts_.lost += queue_.size();
  queue_.clear();
  queued_bytes_ = dropped_ = 0;
  flush_is_posted_ = false;
}

BusStatistics RedisBus::Publisher::statistics() const {
  const std::lock_guard lock(mutex_);
  BusStatistics statistics = counts_;
  statistics.connected = connected_;
  statistics.queued_bytes = queued_bytes_;
  return statistics;
}

// --- Publications

PublishStatus RedisBus::Publisher::publish(const Publication& publication) {
  const std::lock_guard lock(mutex_);
  if (host_ == nullptr) {
    ++counts_.dropped;
    return PublishStatus::Dropped;
  }
  std::string envelope = redis::encode_envelope(sender_, publication);
  const std::size_t size = envelope.size() + publication_overhead;
  if (queued_bytes_ + size > options_.max_queued) {
    ++counts_.dropped;
    if (dropped_++ == 0) host_->warn("the queue of publications to Redis is full: more are dropped");
    return PublishStatus::Dropped;
  }
  queue_.push_back(std::move(envelope));
  queued_bytes_ += size;
  ++counts_.published;
  if (!connected_) return PublishStatus::Queued;
  if (!flush_is_posted_) executor_->post([this] { flush(); });
  flush_is_posted_ = true;  // without memory for that, the next publication tries again
  return PublishStatus::Sent;
}

void RedisBus::Publisher::flush() {
  const std::lock_guard lock(mutex_);
  flush_is_posted_ = false;
  if (!connected_ || !session_->fault().empty()) return;
  if (!queue_.empty()) idle_.reset();
  try {
    while (!queue_.empty() && session_->unacknowledged_bytes() < max_unacknowledged && session_->fault().empty()) {
      session_->publish(queue_.front());
      queue_.pop_front();
    }
  } catch (const std::bad_alloc&) {  // the next session sends the others
    session_->out_of_memory();
  }
}

void RedisBus::Publisher::on_published(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    queued_bytes_ -= bytes + publication_overhead;
    if (dropped_ != 0 && queued_bytes_ <= options_.max_queued / 2) {
      host_->inform("the queue of publications to Redis has room again; " + publications(std::exchange(dropped_, 0)) +
                    " did not reach other servers");
    }
    if (queued_bytes_ == 0) idle_.set();
    if (queue_.empty()) return;
  }
  flush();
}

void RedisBus::Publisher::on_envelope(std::string_view bytes) {
  try {
    deliver(bytes);
  } catch (const std::bad_alloc&) {
    host_->warn("there was no memory for a publication of another server: it is lost");
  }
}

void RedisBus::Publisher::deliver(std::string_view bytes) {
  // No server with the same options publishes a larger message.
  const bool too_large = bytes.size() > options_.max_queued;
  const auto envelope = too_large ? std::nullopt : redis::decode_envelope(bytes);
  if (!envelope) {
    if (!std::exchange(foreign_messages_logged_, true)) {
      host_->warn("what is published on the channel of " + redis::name_of(options_) +
                  (too_large ? " is larger than max_queued" : " is not from a server") + ": such messages are ignored");
    }
    return;
  }
  if (envelope->sender == std::string_view(sender_.data(), sender_.size())) return;
  {
    const std::lock_guard lock(mutex_);
    ++counts_.received;
  }
  host_->deliver(envelope->publication);
}

// --- Sessions

Task<> RedisBus::Publisher::run_sessions() {
  const auto leave = [](Publisher* self) { self->disconnected(); };
  const std::unique_ptr<Publisher, void (*)(Publisher*)> guard(this, leave);
  while (true) {
    std::string fault;
    try {
      fault = co_await connect();
      if (fault.empty()) {
        connected();
        first_attempt_.set();
        fault = co_await serve_session();
      }
    } catch (const Cancelled&) {
      throw;
    } catch (const std::bad_alloc&) {
      fault = "no memory";  // short enough for no allocation
    } catch (const std::exception& error) {
      fault = error.what();
    }
    disconnected();
    try {
      log_fault(fault);
    } catch (const std::bad_alloc&) {  // then it is not logged
    }
    first_attempt_.set();
    co_await sleep_for(next_backoff());
  }
}

// Returns when a session is ready: empty. Otherwise, the fault of the last address.
Task<std::string> RedisBus::Publisher::connect() {
  redis::Addresses addresses = std::vector{options_.host};
  if (options_.unix_path.empty() && !redis::is_address(options_.host)) {
    const auto look_up = [this] { return redis::resolve(options_.host); };
    addresses = co_await offload(look_up);
    if (!addresses) co_return addresses.error();
  }
  std::string fault = "the name has no address";
  for (const std::string& address : *addresses) {
    const std::string own_channel = options_.prefix + ':' + redis::to_hex(sender_);
    session_ = std::make_unique<redis::Session>(options_, address, tls_.get(), own_channel, *this);
    bool in_time = true;
    try {
      co_await with_timeout(options_.timeout, session_->settled().wait());
    } catch (const TimedOut&) {
      in_time = false;
    }
    fault = in_time ? session_->fault() : session_->no_answer(options_.timeout);
    if (fault.empty()) break;
  }
  co_return fault;
}

// Runs until the session is lost. Returns the fault.
Task<std::string> RedisBus::Publisher::serve_session() {
  if (options_.ping.count() <= 0) co_await session_->lost();
  while (session_->fault().empty()) {
    session_->ping();
    try {
      co_await with_timeout(options_.ping, session_->lost().wait());
    } catch (const TimedOut&) {
      if (!session_->alive()) co_return redis::no_answer(options_.ping);
    }
  }
  co_return session_->fault();
}

void RedisBus::Publisher::connected() {
  ready_at_ = executor_->timers().now();
  std::string line = redis::name_of(options_) + " joins the servers of '" + options_.prefix + '\'';
  if (lost_at_ != 0) line += " again, after " + redis::format_duration(ready_at_ - lost_at_);
  logged_fault_.clear();
  {
    const std::lock_guard lock(mutex_);
    connected_ = true;
    if (lost_at_ != 0) ++counts_.reconnects;
  }
  host_->inform(line);  // publications are sent from now on
  flush();
}

void RedisBus::Publisher::disconnected() noexcept {
  const std::unique_ptr<redis::Session> session = std::move(session_);
  if (!session) return;
  const std::lock_guard lock(mutex_);
  connected_ = false;
  queued_bytes_ -= session->unacknowledged_bytes() + session->unacknowledged() * publication_overhead;
  idle_.set();
  unacknowledged_ += session->unacknowledged();
  counts_.lost += session->unacknowledged();
}

// Logs each fault once, regardless of the number of attempts.
void RedisBus::Publisher::log_fault(const std::string& fault) {
  const bool was_ready = ready_at_ != 0;
  if (fault == logged_fault_ && !was_ready) return;
  logged_fault_ = fault;
  std::string line = redis::name_of(options_) + (was_ready ? " is lost (" : " is not available (") + fault;
  if (unacknowledged_ != 0) line += "; " + publications(std::exchange(unacknowledged_, 0)) + " may not have arrived";
  host_->warn(line + "): publications are queued, and it is tried again");
}

// Grows until a session has lasted.
Milliseconds RedisBus::Publisher::next_backoff() {
  const std::uint64_t now = executor_->timers().now();
  if (ready_at_ != 0) {
    if (now - ready_at_ >= static_cast<std::uint64_t>(options_.retry.count())) backoff_.reset();
    lost_at_ = now;
    ready_at_ = 0;
  }
  return backoff_.next(options_.retry);
}

}  // namespace tern
