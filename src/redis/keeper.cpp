#include "redis/keeper.hpp"

#include <tern/coro/cancelled.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/un.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

namespace tern {
namespace {

constexpr std::size_t overhead = 64;      // bytes of a publication in the queue beside its own
constexpr Milliseconds first_pause{100};  // after the first failure; then twice as long each time
constexpr unsigned max_doublings = 16;
constexpr std::size_t window = 256 * 1024;  // bytes that Redis has not answered for, before more are sent
constexpr std::size_t max_queue_limit = 1024 * 1024 * 1024;  // hiredis counts in int
constexpr Milliseconds last_moment = Seconds(1);             // for what is on its way when the server stops

std::string told(std::uint64_t milliseconds) {
  if (milliseconds < 1000) return std::to_string(milliseconds) + " ms";
  return std::to_string(milliseconds / 1000) + '.' + std::to_string(milliseconds % 1000 / 100) + " s";
}

std::string silence(Milliseconds time) {
  return "no answer for " + told(static_cast<std::uint64_t>(time.count()));
}

std::string publications(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " publication" : " publications");
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

// --- Start and stop

void RedisBus::Keeper::check() const {
  const auto refuse = [](const char* why) { throw std::invalid_argument(std::string("RedisBus: ") + why); };
  if (options_.prefix.empty()) refuse("prefix is empty: by what would servers that belong together be known?");
  if (options_.unix_path.empty() && (options_.host.empty() || options_.port == 0)) refuse("host or port is missing");
  if (!options_.username.empty() && options_.password.empty()) refuse("username is set, but password is not");
  if (options_.unix_path.size() >= sizeof(sockaddr_un::sun_path)) refuse("unix_path is longer than the kernel takes");
  if (options_.max_queued == 0 || options_.max_queued > max_queue_limit) refuse("max_queued is from 1 byte to 1 GiB");
  if (options_.timeout.count() <= 0 || options_.retry.count() <= 0) refuse("timeout and retry are longer than zero");
}

Task<> RedisBus::Keeper::start(BusHost& host) {
  check();
  const redis::Sender sender = redis::draw_sender();
  unsigned seed = 0;
  std::memcpy(&seed, sender.data(), sizeof seed);
  random_.seed(seed);
  failures_ = 0;
  unanswered_ = 0;
  ready_at_ = lost_at_ = 0;
  told_.clear();
  strangers_were_told_ = false;
  tried_.reset();
  ended_.reset();
  stop_.reset();
  idle_.set();
  {
    const std::lock_guard lock(mutex_);
    sender_ = sender;
    host_ = &host;
    executor_ = Executor::current();
  }
  keeping_ = keep();
  keeping_.set_stop(&stop_);
  const auto call = [](void* self) { static_cast<Keeper*>(self)->ended_.set(); };
  if (keeping_.start(call, this)) ended_.set();
  try {
    co_await with_timeout(options_.timeout, tried_.wait());
  } catch (const TimedOut&) {  // looking up a name may take longer, and so may several addresses
  }
}

Task<> RedisBus::Keeper::stop() {
  flush();
  try {
    co_await with_timeout(last_moment, idle_.wait());
  } catch (const TimedOut&) {  // those who stop do not wait for Redis
  }
  stop_.stop();
  co_await ended_;
  const std::lock_guard lock(mutex_);
  const std::size_t lost = queue_.size() + std::exchange(dropped_, 0);
  if (lost != 0) host_->warn(publications(lost) + " never reached " + name());
  if (unanswered_ != 0) host_->warn(publications(unanswered_) + " may not have reached " + name());
  host_ = nullptr;
}

void RedisBus::Keeper::end() noexcept {
  keeping_ = {};
  disconnected();
  const std::lock_guard lock(mutex_);
  host_ = nullptr;
  executor_ = nullptr;
  queue_.clear();
  queued_bytes_ = dropped_ = 0;
  flush_is_posted_ = false;
}

// --- Publications

PublishStatus RedisBus::Keeper::publish(const Publication& publication) {
  const std::lock_guard lock(mutex_);
  if (host_ == nullptr) return PublishStatus::Dropped;
  std::string envelope = redis::seal(sender_, publication);
  const std::size_t size = envelope.size() + overhead;
  if (queued_bytes_ + size > options_.max_queued) {
    if (dropped_++ == 0) host_->warn("the queue of publications to Redis is full: more are dropped");
    return PublishStatus::Dropped;
  }
  queued_bytes_ += size;
  queue_.push_back(std::move(envelope));
  if (!connected_) return PublishStatus::Queued;
  if (!std::exchange(flush_is_posted_, true)) executor_->post([this] { flush(); });
  return PublishStatus::Sent;
}

void RedisBus::Keeper::flush() {
  const std::lock_guard lock(mutex_);
  flush_is_posted_ = false;
  if (!connected_ || !session_->fault().empty()) return;
  if (!queue_.empty()) idle_.reset();
  while (!queue_.empty() && session_->unanswered_bytes() < window && session_->fault().empty()) {
    session_->publish(queue_.front());
    queue_.pop_front();
  }
}

void RedisBus::Keeper::on_published(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    queued_bytes_ -= bytes + overhead;
    if (dropped_ != 0 && queued_bytes_ <= options_.max_queued / 2) {
      host_->inform("the queue of publications to Redis has room again; " + publications(std::exchange(dropped_, 0)) +
                    " did not reach other servers");
    }
    if (queued_bytes_ == 0) idle_.set();
    if (queue_.empty()) return;
  }
  flush();
}

void RedisBus::Keeper::on_envelope(std::string_view bytes) {
  // No server with the same options publishes more at once.
  const bool too_large = bytes.size() > options_.max_queued;
  const auto envelope = too_large ? std::nullopt : redis::open_envelope(bytes);
  if (!envelope) {
    if (!std::exchange(strangers_were_told_, true)) {
      host_->warn("what is published on the channel of " + name() +
                  (too_large ? " is larger than max_queued" : " is not from a server") + ": such messages are ignored");
    }
    return;
  }
  if (envelope->sender != std::string_view(sender_.data(), sender_.size())) host_->deliver(envelope->publication);
}

// --- Sessions

std::string RedisBus::Keeper::name() const {
  if (!options_.unix_path.empty()) return "Redis at " + options_.unix_path;
  const bool is_v6 = options_.host.find(':') != std::string::npos;
  return "Redis at " + (is_v6 ? '[' + options_.host + ']' : options_.host) + ':' + std::to_string(options_.port);
}

Task<> RedisBus::Keeper::keep() {
  const auto leave = [](Keeper* self) { self->disconnected(); };
  const std::unique_ptr<Keeper, void (*)(Keeper*)> guard(this, leave);
  while (true) {
    std::string fault;
    try {
      fault = co_await connect();
      if (fault.empty()) {
        connected();
        tried_.set();
        fault = co_await hold();
      }
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      fault = error.what();
    }
    disconnected();
    tell_of(fault);
    tried_.set();
    co_await sleep_for(next_pause());
  }
}

RedisBus::Keeper::Places RedisBus::Keeper::resolve() const {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(options_.host.c_str(), nullptr, &hints, &found); error != 0) {
    return std::unexpected(std::string(::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, &::freeaddrinfo);
  std::vector<std::string> places;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      places.emplace_back(text.data());
    }
  }
  return places;
}

// Makes a session that is ready. Otherwise, what went wrong at the last address.
Task<std::string> RedisBus::Keeper::connect() {
  Places places = std::vector{options_.host};
  if (options_.unix_path.empty() && !is_address(options_.host)) {
    const auto look_up = [this] { return resolve(); };
    places = co_await offload(look_up);
    if (!places) co_return places.error();
  }
  std::string fault = "the name has no address";
  for (const std::string& place : *places) {
    const std::string own_channel = options_.prefix + ':' + redis::name_of(sender_);
    session_ = std::make_unique<redis::Session>(options_, place, own_channel, *this);
    bool in_time = true;
    try {
      co_await with_timeout(options_.timeout, session_->begun().wait());
    } catch (const TimedOut&) {
      in_time = false;
    }
    fault = in_time ? session_->fault() : silence(options_.timeout);
    if (fault.empty()) break;
  }
  co_return fault;
}

// Until the session is lost. Why.
Task<std::string> RedisBus::Keeper::hold() {
  if (options_.ping.count() <= 0) co_await session_->lost();
  while (session_->fault().empty()) {
    session_->ping();
    try {
      co_await with_timeout(options_.ping, session_->lost().wait());
    } catch (const TimedOut&) {
      if (!session_->alive()) co_return silence(options_.ping);
    }
  }
  co_return session_->fault();
}

void RedisBus::Keeper::connected() {
  ready_at_ = executor_->timers().now();
  std::string line = name() + " joins the servers of '" + options_.prefix + '\'';
  if (lost_at_ != 0) line += " again, after " + told(ready_at_ - lost_at_);
  told_.clear();
  {
    const std::lock_guard lock(mutex_);
    connected_ = true;
  }
  host_->inform(line);  // what is published from now on is sent
  flush();
}

void RedisBus::Keeper::disconnected() noexcept {
  const std::unique_ptr<redis::Session> session = std::move(session_);
  if (!session) return;
  const std::lock_guard lock(mutex_);
  connected_ = false;
  queued_bytes_ -= session->unanswered_bytes() + session->unanswered() * overhead;
  idle_.set();
  unanswered_ += session->unanswered();
}

// Once for each fault, however often it is tried again.
void RedisBus::Keeper::tell_of(const std::string& fault) {
  const bool was_ready = ready_at_ != 0;
  if (fault == told_ && !was_ready) return;
  told_ = fault;
  std::string line = name() + (was_ready ? " is lost (" : " is not available (") + fault;
  if (unanswered_ != 0) line += "; " + publications(std::exchange(unanswered_, 0)) + " may not have arrived";
  host_->warn(line + "): publications are queued, and it is tried again");
}

// Twice as long each time, until a session has lasted; and never the same for two servers that were cut off together.
Milliseconds RedisBus::Keeper::next_pause() {
  const std::uint64_t now = executor_->timers().now();
  const auto longest = options_.retry.count();
  if (ready_at_ != 0) {
    if (now - ready_at_ >= static_cast<std::uint64_t>(longest)) failures_ = 0;
    lost_at_ = now;
    ready_at_ = 0;
  }
  const auto pause = std::min(first_pause.count() << std::min(failures_++, max_doublings), longest);
  std::uniform_int_distribution<std::int64_t> jitter(pause / 2, pause);
  return Milliseconds(jitter(random_));
}

}  // namespace tern
