#include "postgres/publisher.hpp"

#include "base/random.hpp"
#include "postgres/address.hpp"

#include <tern/coro/cancelled.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/coro/timeout.hpp>
#include <tern/sql/error.hpp>

#include <exception>
#include <stdexcept>
#include <utility>

namespace tern {
namespace {

constexpr std::size_t notification_overhead = 64;      // bytes in the queue, in addition to its own
constexpr std::size_t max_bytes_at_once = 256 * 1024;  // of one statement
constexpr Milliseconds stop_limit = Seconds(1);        // for publications in flight when the server stops
constexpr Milliseconds attempt_pause = Milliseconds(200);

std::string random_sender() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : base::random_bytes(8)) {
    text += digits[static_cast<unsigned char>(c) >> 4U];
    text += digits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
}

}  // namespace

Task<> PostgresBus::Publisher::start(BusHost& host) {
  if (options_.channel.empty()) throw std::invalid_argument("PostgresBus: channel is empty");
  PostgresOptions options = options_.database;
  options.max_connections = options.min_connections = 1;
  database_ = std::make_unique<Postgres>(std::move(options));
  std::string sender = random_sender();
  assembly_.clear();
  queued_.reset();
  listens_.reset();
  idle_.set();
  {
    const std::lock_guard lock(mutex_);
    sender_ = std::move(sender);
    host_ = &host;
    executor_ = Executor::current();
    away_ = false;
  }
  tasks_ = std::make_unique<Scope>([](const std::exception_ptr&) {});
  tasks_->spawn(listen());
  tasks_->spawn(send_all());
  try {
    co_await with_timeout(options_.database.connect_timeout, listens_.wait());
  } catch (const TimedOut&) {
    log_away("no connection yet");
  }
}

Task<> PostgresBus::Publisher::stop() {
  try {
    co_await with_timeout(stop_limit, idle_.wait());
  } catch (const TimedOut&) {  // stopping does not wait for the database any longer
  }
  tasks_->stop();
  co_await tasks_->join();
  database_.reset();
  const std::lock_guard lock(mutex_);
  const std::size_t lost = queue_.size() + std::exchange(dropped_, 0);
  if (lost != 0) host_->warn(std::to_string(lost) + " notifications never reached PostgreSQL");
  host_ = nullptr;
}

void PostgresBus::Publisher::end() noexcept {
  tasks_.reset();
  database_.reset();
  const std::lock_guard lock(mutex_);
  host_ = nullptr;
  executor_ = nullptr;
  for (const Part& part : queue_) counts_.lost += part.last ? 1 : 0;
  queue_.clear();
  queued_bytes_ = dropped_ = 0;
  post_is_pending_ = false;
}

BusStatistics PostgresBus::Publisher::statistics() const {
  const std::lock_guard lock(mutex_);
  BusStatistics statistics = counts_;
  statistics.connected = host_ != nullptr && !away_;
  statistics.queued_bytes = queued_bytes_;
  return statistics;
}

// --- Publications

PublishStatus PostgresBus::Publisher::publish(const Publication& publication) {
  const std::size_t size = publication.topic.size() + publication.content.size();
  const std::lock_guard lock(mutex_);
  if (host_ == nullptr) {
    ++counts_.dropped;
    return PublishStatus::Dropped;
  }
  if (size > options_.max_publication || queued_bytes_ + size > options_.max_queued) {
    ++counts_.dropped;
    if (dropped_++ == 0) {
      host_->warn(size > options_.max_publication
                      ? "a publication is larger than max_publication: such are dropped"
                      : "the queue of publications to PostgreSQL is full: more are dropped");
    }
    return PublishStatus::Dropped;
  }
  for (std::string& part : postgres::divide(publication, sender_, ++published_)) {
    queued_bytes_ += part.size() + notification_overhead;
    queue_.push_back({std::move(part), false});
  }
  queue_.back().last = true;
  ++counts_.published;
  const PublishStatus status = away_ ? PublishStatus::Queued : PublishStatus::Sent;
  if (std::exchange(post_is_pending_, true)) return status;
  executor_->post([this] {
    idle_.reset();
    queued_.set();
  });
  return status;
}

std::vector<std::string> PostgresBus::Publisher::take(std::uint64_t& publications) {
  const std::lock_guard lock(mutex_);
  post_is_pending_ = false;
  std::vector<std::string> taken;
  for (std::size_t bytes = 0; !queue_.empty() && bytes < max_bytes_at_once; queue_.pop_front()) {
    Part& part = queue_.front();
    bytes += part.text.size();
    queued_bytes_ -= part.text.size() + notification_overhead;
    publications += part.last ? 1 : 0;
    taken.push_back(std::move(part.text));
  }
  return taken;
}

Task<> PostgresBus::Publisher::send_all() {
  while (true) {
    co_await queued_;
    std::string fault;
    std::uint64_t publications = 0;  // that were taken, and may be lost
    try {
      co_await database_->connect();  // before anything is taken from the queue
      const std::vector<std::string> parts = take(publications);
      if (parts.empty()) {
        queued_.reset();
        idle_.set();
        continue;
      }
      co_await database_->execute("select pg_notify($1, part) from unnest($2::text[]) as part", options_.channel,
                                  parts);
      log_back();
    } catch (const SqlError& error) {
      fault = error.what();
    } catch (const Overloaded& error) {
      fault = error.what();
    }
    if (fault.empty()) continue;
    log_away(fault.c_str(), publications);
    co_await sleep_for(attempt_pause);
  }
}

// --- Publications of others

Task<> PostgresBus::Publisher::listen() {
  NotificationStream notifications = database_->listen({options_.channel});
  co_await notifications.listen();
  listens_.set();
  bool foreign_logged = false;
  while (true) {
    const Notification notification = co_await notifications.next();
    if (notification.missed) {
      assembly_.clear();
      count(&BusStatistics::reconnects);
      host_->warn("the connection to PostgreSQL was lost: publications of other servers were missed");
      continue;
    }
    const auto deliver = [this](const Publication& publication) {
      count(&BusStatistics::received);
      host_->deliver(publication);
    };
    if (assembly_.add(notification.payload, sender_, deliver) || std::exchange(foreign_logged, true)) continue;
    host_->warn("what is notified on the channel '" + options_.channel + "' is not from a server: it is ignored");
  }
}

// --- The log

void PostgresBus::Publisher::count(std::uint64_t BusStatistics::* number) noexcept {
  const std::lock_guard lock(mutex_);
  ++(counts_.*number);
}

void PostgresBus::Publisher::log_away(const char* fault, std::uint64_t lost) {
  {
    const std::lock_guard lock(mutex_);
    counts_.lost += lost;
    if (std::exchange(away_, true)) return;
  }
  host_->warn(std::string(fault) + ": publications to other servers are queued");
}

void PostgresBus::Publisher::log_back() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(away_, false)) return;
  }
  host_->inform("PostgreSQL is available again: publications reach other servers");
}

}  // namespace tern
