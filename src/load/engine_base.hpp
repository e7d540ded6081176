// What the engines of both protocols share: connections on an epoll, when requests are due, errors, and what was
// measured.
#pragma once

#include "load/channel.hpp"
#include "load/latencies.hpp"

#include <sys/epoll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tern::load {

using Clock = std::chrono::steady_clock;

inline Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Derived has open(Connection&), send_what_is_due(Clock::time_point), handle(Connection&, std::uint32_t events) and
// waiting(): how many requests have begun, and not ended. Connection has `channel` and `waits_to_write`.
template <class Derived, class Connection>
class EngineBase {
public:
  EngineBase(const EngineBase&) = delete;
  EngineBase& operator=(const EngineBase&) = delete;

  // Serves for so long; then what was measured begins anew. The next call goes on where this one ended.
  void warm_up(double seconds) {
    start();
    serve_until(Clock::now() + duration_of(seconds));
    answered_ = errors_ = bytes_ = 0;
    latencies_.clear();
  }

  // Returns how long it took, in seconds, without the grace.
  double measure(double seconds) {
    const auto begin = Clock::now();  // without a warm-up, the connections are opened within the time
    start();
    const auto end = begin + duration_of(seconds);
    serve_until(end);
    const std::chrono::duration<double> took = Clock::now() - begin;
    if (rate_ > 0 && grace_ > 0) finish(end);
    return took.count();
  }

  std::size_t answered() const noexcept { return answered_; }
  std::size_t errors() const noexcept { return errors_; }
  const std::string& last_error() const noexcept { return last_error_; }
  // Requests that were due within the time, and had no response at the end of the grace.
  std::size_t unanswered() const noexcept { return unanswered_; }
  std::uint64_t received_bytes() const noexcept { return bytes_; }
  Latencies& latencies() noexcept { return latencies_; }

protected:
  // `rate`: requests a second over all connections; 0: as fast as responses come. `grace`: seconds after the end for
  // responses to requests that were due before it. `spins`: never sleeps while there is a rate.
  EngineBase(double rate, double grace, bool spins) : rate_(rate), grace_(grace), spins_(spins) {
    if (poll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  }
  ~EngineBase() { ::close(poll_); }

  bool has_rate() const noexcept { return rate_ > 0; }
  Clock::time_point due(std::size_t number) const {
    return first_due_ + duration_of(static_cast<double>(number) / rate_);
  }

  void watch(Connection& connection, int operation, std::uint32_t events) {
    epoll_event wanted = {.events = events, .data = {.ptr = &connection}};
    if (::epoll_ctl(poll_, operation, connection.channel.descriptor(), &wanted) != 0) {
      throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
    connection.waits_to_write = (events & EPOLLOUT) != 0;
  }

  void wait_to_write(Connection& connection, bool waits) {
    if (waits != connection.waits_to_write) watch(connection, EPOLL_CTL_MOD, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  void succeeded(std::size_t count) noexcept {
    answered_ += count;
    fails_ = false;
  }

  void count_errors(std::size_t count, std::string reason) {
    last_error_ = std::move(reason);
    errors_ += count;
    const auto now = Clock::now();
    if (!std::exchange(fails_, true)) failing_since_ = now;
    if (now - failing_since_ > max_failing) {
      throw std::runtime_error("all requests have failed for a second, the last one: " + last_error_);
    }
  }

  // Counts the errors of a connection that broke; its channel says why, or `otherwise`.
  void count_broken(const Connection& connection, std::size_t count, const char* otherwise) {
    std::string reason = connection.channel.failure();
    errno = 0;
    count_errors(count, reason.empty() ? otherwise : std::move(reason));
  }

  // Replaced at the end of the iteration: a server that refuses all of them must not be called in a recursion.
  void retire(Connection& connection) {
    std::erase(free_, &connection);
    connection.channel = decltype(connection.channel)();
    if (std::ranges::find(retired_, &connection) == retired_.end()) retired_.push_back(&connection);
  }

  std::vector<Connection> connections_ = {};
  std::deque<Connection*> free_ = {};  // an entry for each request that a connection can take
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
  Latencies latencies_ = {};
  std::uint64_t bytes_ = 0;
  std::size_t sent_ = 0;  // of those that are due

private:
  Derived& self() noexcept { return static_cast<Derived&>(*this); }

  void start() {
    if (std::exchange(has_started_, true)) return;
    first_due_ = Clock::now();
    for (Connection& connection : connections_) self().open(connection);
  }

  // Milliseconds until there is something to do.
  int patience(Clock::time_point end) const {
    if (spins_ && has_rate()) return 0;
    if (!retired_.empty()) return fails_ ? retry_milliseconds : 0;
    auto until = end;
    if (has_rate() && !free_.empty()) until = std::min(until, due(sent_));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 100));
  }

  void serve_until(Clock::time_point end) {
    while (Clock::now() < end) iterate(end, end);
  }

  void iterate(Clock::time_point last_due, Clock::time_point end) {
    if (has_rate()) self().send_what_is_due(last_due);
    for (Connection* connection : std::exchange(retired_, {})) self().open(*connection);
    std::array<epoll_event, 512> events;
    const int ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), patience(end));
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      Connection& connection = *static_cast<Connection*>(event.data.ptr);
      if (connection.channel.descriptor() < 0) continue;  // retired in this iteration
      self().handle(connection, event.events);
    }
  }

  // The requests that were due before `end` are sent, and awaited.
  void finish(Clock::time_point end) {
    const auto limit = Clock::now() + duration_of(grace_);
    const auto is_late = [&] { return due(sent_) <= end; };
    while ((is_late() || self().waiting() > 0) && Clock::now() < limit) iterate(end, limit);
    unanswered_ = self().waiting();
    for (; is_late(); ++sent_) ++unanswered_;
  }

  static constexpr int retry_milliseconds = 10;
  static constexpr Clock::duration max_failing = std::chrono::seconds(1);

  const double rate_;
  const double grace_;
  const bool spins_;
  int poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<Connection*> retired_ = {};
  bool has_started_ = false;
  Clock::time_point first_due_ = {};
  std::size_t answered_ = 0;
  std::size_t errors_ = 0;
  std::string last_error_ = {};
  bool fails_ = false;  // since the last response
  Clock::time_point failing_since_ = {};
  std::size_t unanswered_ = 0;
};

}  // namespace tern::load
