// Engine: connections that send a request again and again, and the latencies of its responses.
//
// With a rate, requests are sent when they are due, without looking at how fast responses come, and a latency is
// counted from when its request was due: one that had to wait for a connection, because all were slow, has waited (no
// coordinated omission). Without, each connection sends the next request when it has the response: latencies are those
// of a server that is asked as fast as it answers.
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
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tern::load {

using Clock = std::chrono::steady_clock;

inline Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

struct EngineOptions {
  std::string request;  // one or several (`depth`), sent at once
  std::size_t depth = 1;
  std::size_t connections = 64;
  double rate = 0;     // requests a second over all connections; 0: as fast as responses come
  double grace = 0;    // seconds after the end for responses to requests that were due before it
  bool spins = false;  // it has a processor of its own: requests are sent to the microsecond
};

enum class Progress : std::uint8_t { More, Complete, Broken };

// Channel: see PlainChannel. Answer: receive(bytes) and end(), at the end of the input, return a Progress; closes()
// says of a complete one that the server closes the connection; reset() comes before the next.
template <class Channel, class Answer, class Connect>
class Engine {
public:
  // `connect()` makes a channel; one without descriptor, and errno, if it cannot. Each connection has a copy of
  // `answer`.
  Engine(EngineOptions options, Answer answer, Connect connect)
      : options_(std::move(options)), connect_(std::move(connect)) {
    if (poll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
    connections_.reserve(options_.connections);
    for (std::size_t i = 0; i < options_.connections; ++i) connections_.emplace_back(answer);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() { ::close(poll_); }

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
    if (options_.rate > 0 && options_.grace > 0) finish(end);
    return took.count();
  }

  std::size_t answered() const noexcept { return answered_; }
  std::size_t errors() const noexcept { return errors_; }
  const std::string& last_error() const noexcept { return last_error_; }
  // Requests that were due within the time, and had no response at the end of the grace.
  std::size_t unanswered() const noexcept { return unanswered_; }
  std::uint64_t received_bytes() const noexcept { return bytes_; }
  Latencies& latencies() noexcept { return latencies_; }

private:
  struct Connection {
    explicit Connection(const Answer& reader) : answer(reader) {}
    Channel channel = {};
    Answer answer;
    bool waits_to_write = false;
    bool is_busy = false;    // a request is under way
    bool has_ended = false;  // its response is complete, and the server is about to close
    std::size_t sent = 0;
    Clock::time_point begin = {};
  };

  void start() {
    if (std::exchange(has_started_, true)) return;
    first_due_ = Clock::now();
    for (Connection& connection : connections_) open(connection);
  }

  void open(Connection& connection) {
    const auto begin = Clock::now();  // where each request has a connection, opening it is part of its latency
    connection.channel = connect_();
    if (connection.channel.descriptor() < 0) return broke(connection);
    connection.answer.reset();
    connection.is_busy = connection.has_ended = false;
    connection.sent = 0;
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    next(connection, begin);
  }

  // At once, or when the next request is due.
  void next(Connection& connection, Clock::time_point now) {
    if (options_.rate > 0) return idle_.push_back(&connection);
    begin_request(connection, now);
  }

  void begin_request(Connection& connection, Clock::time_point begin) {
    connection.begin = begin;
    connection.is_busy = true;
    write(connection);
  }

  Clock::time_point due(std::size_t number) const {
    return first_due_ + duration_of(static_cast<double>(number) / options_.rate);
  }

  void send_what_is_due(Clock::time_point last) {
    for (const auto now = std::min(Clock::now(), last); !idle_.empty() && due(sent_) <= now; ++sent_) {
      Connection& connection = *idle_.front();
      idle_.pop_front();
      begin_request(connection, due(sent_));
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

  // A connection that broke counts as an error, and another takes its place.
  void broke(Connection& connection) {
    last_error_ = connection.channel.failure();
    if (last_error_.empty()) last_error_ = "the response is incomplete, or no HTTP/1.1";
    errno = 0;
    ++errors_;
    const auto now = Clock::now();
    if (!std::exchange(fails_, true)) failing_since_ = now;
    if (now - failing_since_ > max_failing) {
      throw std::runtime_error("all requests have failed for a second, the last one: " + last_error_);
    }
    retire(connection);
  }

  // Replaced at the end of the iteration: a server that refuses all of them must not be called in a recursion.
  void retire(Connection& connection) {
    std::erase(idle_, &connection);
    connection.is_busy = false;
    connection.channel = Channel();
    if (std::ranges::find(retired_, &connection) == retired_.end()) retired_.push_back(&connection);
  }

  void replace_retired() {
    for (Connection* connection : std::exchange(retired_, {})) open(*connection);
  }

  void write(Connection& connection) {
    const Moved moved = connection.channel.send(std::string_view(options_.request).substr(connection.sent));
    if (moved.waits == Waits::Broken || moved.waits == Waits::Closed) return broke(connection);
    connection.sent += moved.bytes;
    wait_to_write(connection, connection.sent < options_.request.size() && moved.waits != Waits::ToRead);
  }

  void read(Connection& connection) {
    const Moved moved = connection.channel.receive(buffer_);
    switch (moved.waits) {
      case Waits::ToRead: return wait_to_write(connection, false);
      case Waits::ToWrite: return wait_to_write(connection, true);
      case Waits::Broken: return broke(connection);
      case Waits::Closed: return closed(connection);
      case Waits::None: break;
    }
    bytes_ += moved.bytes;
    errno = 0;
    if (!connection.is_busy || connection.has_ended) return broke(connection);
    const Progress progress = connection.answer.receive(std::string_view(buffer_.data(), moved.bytes));
    if (progress == Progress::Broken) return broke(connection);
    if (progress == Progress::Complete) complete(connection);
  }

  void closed(Connection& connection) {
    errno = 0;
    if (connection.has_ended) return retire(connection);
    if (!connection.is_busy || connection.answer.end() != Progress::Complete) return broke(connection);
    complete(connection);
    retire(connection);
  }

  void complete(Connection& connection) {
    const auto now = Clock::now();
    answered_ += options_.depth;
    fails_ = false;
    latencies_.add(now - connection.begin);
    if (connection.sent < options_.request.size()) return retire(connection);  // the server knows no end of the request
    connection.has_ended = connection.answer.closes();
    if (connection.has_ended) return;  // until the server closes
    connection.answer.reset();
    connection.is_busy = false;
    connection.sent = 0;
    next(connection, now);
  }

  // Milliseconds until there is something to do.
  int patience(Clock::time_point end) const {
    if (options_.spins && options_.rate > 0) return 0;
    if (!retired_.empty()) return fails_ ? retry_milliseconds : 0;
    auto until = end;
    if (options_.rate > 0 && !idle_.empty()) until = std::min(until, due(sent_));
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
      if (connection.is_busy && connection.sent < options_.request.size()) write(connection);
      if (connection.channel.descriptor() < 0) continue;
      if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
    }
  }

  // The requests that were due before `end` are sent, and awaited.
  void finish(Clock::time_point end) {
    const auto limit = Clock::now() + duration_of(options_.grace);
    const auto is_busy = [](const Connection& connection) { return connection.is_busy && !connection.has_ended; };
    const auto is_late = [&] { return due(sent_) <= end; };
    while ((is_late() || std::ranges::any_of(connections_, is_busy)) && Clock::now() < limit) iterate(end, limit);
    unanswered_ = static_cast<std::size_t>(std::ranges::count_if(connections_, is_busy));
    for (; is_late(); ++sent_) ++unanswered_;
  }

  static constexpr int retry_milliseconds = 10;
  static constexpr Clock::duration max_failing = std::chrono::seconds(1);

  EngineOptions options_;
  Connect connect_;
  std::vector<Connection> connections_ = {};
  std::vector<Connection*> retired_ = {};
  int poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
  Latencies latencies_ = {};
  bool has_started_ = false;
  Clock::time_point first_due_ = {};
  std::size_t sent_ = 0;               // of those that are due
  std::deque<Connection*> idle_ = {};  // without a request, while there is a rate
  std::size_t answered_ = 0;
  std::size_t errors_ = 0;
  std::string last_error_ = {};
  bool fails_ = false;  // since the last response
  Clock::time_point failing_since_ = {};
  std::size_t unanswered_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace tern::load
