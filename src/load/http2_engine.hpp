// Http2Engine: as Engine, over HTTP/2: several requests at a time on each connection. Latencies count from when
// requests were due, as there; a request that the server has not looked at before it closed the connection goes to
// another one, and its latency counts on.
#pragma once

#include "load/channel.hpp"
#include "load/http2_connection.hpp"
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
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tern::load {

struct Http2EngineOptions {
  std::size_t connections = 64;
  std::size_t streams = 1;  // requests at a time of each connection
  double rate = 0;          // requests a second over all connections; 0: as fast as responses come
  double grace = 0;         // seconds after the end for responses to requests that were due before it
};

// Channel: see PlainChannel.
template <class Channel, class Connect>
class Http2Engine {
public:
  // `connect()` makes a channel; one without descriptor, and errno, if it cannot. `classes` outlives it.
  Http2Engine(Http2EngineOptions options, Http2Request request, StatusClasses& classes, Connect connect)
      : options_(options),
        request_(std::move(request)),
        classes_(classes),
        connect_(std::move(connect)),
        connections_(options.connections) {
    if (poll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  }
  Http2Engine(const Http2Engine&) = delete;
  Http2Engine& operator=(const Http2Engine&) = delete;
  ~Http2Engine() { ::close(poll_); }

  // Serves for so long; then what was measured begins anew. The next call goes on where this one ended.
  void warm_up(double seconds) {
    start();
    serve_until(Clock::now() + duration_of(seconds));
    errors_ = bytes_ = 0;
    latencies_.clear();
  }

  // Returns how long it took, in seconds, without the grace.
  double measure(double seconds) {
    const auto begin = Clock::now();  // without a warm-up, the connections are opened within the time
    start();
    const auto end = begin + duration_of(seconds);
    serve_until(end);
    const std::chrono::duration<double> took = Clock::now() - begin;
    if (options_.rate > 0 && options_.grace > 0) finish(end);
    return took.count();
  }

  std::size_t answered() const noexcept { return latencies_.size(); }
  std::size_t errors() const noexcept { return errors_; }
  const std::string& last_error() const noexcept { return last_error_; }
  // Requests that were due within the time, and had no response at the end of the grace.
  std::size_t unanswered() const noexcept { return unanswered_; }
  std::uint64_t received_bytes() const noexcept { return bytes_; }
  Latencies& latencies() noexcept { return latencies_; }

private:
  struct Connection {
    Channel channel = {};
    std::unique_ptr<Http2Connection> http2 = {};
    bool waits_to_write = false;
    bool has_answered = false;
  };

  void start() {
    if (std::exchange(has_started_, true)) return;
    first_due_ = Clock::now();
    for (Connection& connection : connections_) open(connection);
  }

  void open(Connection& connection) {
    connection.channel = connect_();
    connection.http2 = make_http2_connection(request_, classes_);
    connection.has_answered = false;
    if (connection.channel.descriptor() < 0) return broke(connection);
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    free_.insert(free_.end(), options_.streams, &connection);
    if (options_.rate == 0) fill(connection);
    write(connection);
  }

  // As fast as responses come: a request for each stream that is free.
  void fill(Connection& connection) {
    for (std::size_t free = std::erase(free_, &connection); free > 0; --free) {
      connection.http2->begin(next_begin(Clock::now()));
    }
  }

  // Requests that another connection has not sent come first.
  Clock::time_point next_begin(Clock::time_point otherwise) {
    if (again_.empty()) return otherwise;
    const auto begin = again_.front();
    again_.pop_front();
    return begin;
  }

  Clock::time_point due(std::size_t number) const {
    return first_due_ + duration_of(static_cast<double>(number) / options_.rate);
  }

  void send_what_is_due(Clock::time_point last) {
    const auto now = std::min(Clock::now(), last);
    while (!free_.empty() && (!again_.empty() || due(sent_) <= now)) {
      Connection& connection = *free_.front();
      free_.pop_front();
      if (again_.empty()) {
        connection.http2->begin(due(sent_++));
      } else {
        connection.http2->begin(next_begin(now));
      }
      write(connection);
    }
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

  void count_errors(std::size_t count, std::string reason) {
    last_error_ = std::move(reason);
    errors_ += count;
    const auto now = Clock::now();
    if (!std::exchange(fails_, true)) failing_since_ = now;
    if (now - failing_since_ > max_failing) {
      throw std::runtime_error("all requests have failed for a second, the last one: " + last_error_);
    }
  }

  // The requests that were under way count as errors, and so does a connection without any.
  void broke(Connection& connection) {
    const std::string reason = connection.channel.failure();
    errno = 0;
    count_errors(std::max<std::size_t>(connection.http2->open(), 1),
                 reason.empty() ? "the response is incomplete, or no HTTP/2" : reason);
    retire(connection);
  }

  // Replaced at the end of the iteration: a server that refuses all of them must not be called in a recursion.
  void retire(Connection& connection) {
    std::erase(free_, &connection);
    connection.channel = Channel();
    if (std::ranges::find(retired_, &connection) == retired_.end()) retired_.push_back(&connection);
  }

  void replace_retired() {
    for (Connection* connection : std::exchange(retired_, {})) open(*connection);
  }

  void write(Connection& connection) {
    while (connection.channel.descriptor() >= 0) {
      const std::string_view output = connection.http2->output();
      if (output.empty()) return wait_to_write(connection, false);
      const Moved moved = connection.channel.send(output);
      if (moved.waits == Waits::Broken || moved.waits == Waits::Closed) return broke(connection);
      connection.http2->sent(moved.bytes);
      if (moved.waits == Waits::ToRead) return wait_to_write(connection, false);
      if (moved.waits == Waits::ToWrite) return wait_to_write(connection, true);
    }
  }

  void read(Connection& connection) {
    const Moved moved = connection.channel.receive(buffer_);
    switch (moved.waits) {
      case Waits::ToRead: return;
      case Waits::ToWrite: return wait_to_write(connection, true);
      case Waits::Broken: return broke(connection);
      case Waits::Closed: return closed(connection);
      case Waits::None: break;
    }
    bytes_ += moved.bytes;
    errno = 0;
    const bool is_http2 = connection.http2->receive(std::string_view(buffer_.data(), moved.bytes));
    take_ends(connection);
    if (!is_http2) return broke(connection);
    if (connection.http2->drains() && connection.http2->open() == 0) return ended(connection);
    write(connection);
  }

  void take_ends(Connection& connection) {
    const Http2Connection::Ends ends = connection.http2->take_ends();
    const auto now = Clock::now();
    for (const auto begin : ends.answered) latencies_.add(now - begin);
    again_.insert(again_.end(), ends.unprocessed.begin(), ends.unprocessed.end());
    if (!ends.answered.empty()) {
      fails_ = false;
      connection.has_answered = true;
    }
    if (ends.reset > 0) count_errors(ends.reset, ends.reason);
    if (connection.http2->drains()) {
      std::erase(free_, &connection);
      return;
    }
    free_.insert(free_.end(), ends.answered.size() + ends.reset, &connection);
    if (options_.rate == 0) fill(connection);
  }

  void closed(Connection& connection) {
    errno = 0;
    return connection.http2->open() == 0 ? ended(connection) : broke(connection);
  }

  // By the server, in order.
  void ended(Connection& connection) {
    if (!connection.has_answered) count_errors(1, "the server closes connections without an answer");
    retire(connection);
  }

  // Milliseconds until there is something to do.
  int patience(Clock::time_point end) const {
    if (!retired_.empty()) return fails_ ? retry_milliseconds : 0;
    auto until = end;
    if (options_.rate > 0 && !free_.empty()) until = std::min(until, due(sent_));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 100));
  }

  void serve_until(Clock::time_point end) {
    while (Clock::now() < end) iterate(end, end);
  }

  void iterate(Clock::time_point last_due, Clock::time_point end) {
    if (options_.rate > 0) send_what_is_due(last_due);
    if (!retired_.empty()) replace_retired();
    std::array<epoll_event, 512> events;
    const int ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), patience(end));
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      Connection& connection = *static_cast<Connection*>(event.data.ptr);
      if (connection.channel.descriptor() < 0) continue;  // retired in this iteration
      if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
      if (connection.channel.descriptor() >= 0) write(connection);
    }
  }

  // The requests that were due before `end` are sent, and awaited.
  void finish(Clock::time_point end) {
    const auto limit = Clock::now() + duration_of(options_.grace);
    const auto is_late = [&] { return due(sent_) <= end; };
    while ((is_late() || waiting() > 0) && Clock::now() < limit) iterate(end, limit);
    unanswered_ = waiting();
    for (; is_late(); ++sent_) ++unanswered_;
  }

  // Requests that have begun, and not ended.
  std::size_t waiting() const {
    std::size_t count = again_.size();
    for (const Connection& connection : connections_) {
      if (connection.channel.descriptor() >= 0) count += connection.http2->open();
    }
    return count;
  }

  static constexpr int retry_milliseconds = 10;
  static constexpr Clock::duration max_failing = std::chrono::seconds(1);

  Http2EngineOptions options_;
  Http2Request request_;
  StatusClasses& classes_;
  Connect connect_;
  std::vector<Connection> connections_;
  std::vector<Connection*> retired_ = {};
  int poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
  Latencies latencies_ = {};
  bool has_started_ = false;
  Clock::time_point first_due_ = {};
  std::size_t sent_ = 0;                      // of those that are due
  std::deque<Connection*> free_ = {};         // an entry for each stream without a request
  std::deque<Clock::time_point> again_ = {};  // begins of requests that go to another connection
  std::size_t errors_ = 0;
  std::string last_error_ = {};
  bool fails_ = false;  // since the last response
  Clock::time_point failing_since_ = {};
  std::size_t unanswered_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace tern::load
