// A fast client: it knows the length of an answer and counts bytes. wrk, which parses every answer, is
// slower than the servers that it is to measure.
//
// Prints `begin` after warming up, `end` when the time is over, and then a line of JSON. The server's processor time
// between the two, divided by the requests answered between them, is the cost of a request.
//
// With --rate, requests are sent when they are due, without looking at how fast answers come, and a latency is counted
// from when its request was due: one that had to wait for a connection, because all were slow, has waited.
#include "client.hpp"
#include "options.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <deque>
#include <string_view>
#include <vector>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using bench::Clock;
using bench::fail;
using bench::print_line;

struct Connection {
  int socket = -1;
  bool waits_to_write = false;
  std::size_t sent = 0;
  std::size_t received = 0;
  Clock::time_point begin = {};
};

class Load {
public:
  explicit Load(const bench::LoadOptions& options)
      : options_(options), expected_(options.answer * options.depth), connections_(options.connections) {
    if (poll_ < 0) fail("epoll");
    for (std::size_t i = 0; i < options.depth; ++i) batch_ += options.request;
    samples_.reserve(1 << 22);
  }

  void run() {
    first_due_ = Clock::now();
    for (Connection& connection : connections_) open(connection);
    serve_until(Clock::now() + bench::duration_of(options_.warm_up));
    answered_ = 0;
    samples_.clear();
    print_line("begin");
    const auto begin = Clock::now();
    serve_until(begin + bench::duration_of(options_.seconds));
    const std::chrono::duration<double> took = Clock::now() - begin;
    print_line("end");
    report(took.count());
  }

private:
  void open(Connection& connection) {
    const auto begin = Clock::now();  // where each request has a connection, opening it is part of its latency
    connection = {.socket = bench::connected(options_.port), .begin = begin};
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    next(connection, begin);
  }

  // At once, or when the next request is due.
  void next(Connection& connection, Clock::time_point now) {
    if (options_.rate > 0) return idle_.push_back(&connection);
    connection.begin = now;
    write(connection);
  }

  Clock::time_point due(std::size_t number) const {
    return first_due_ + bench::duration_of(static_cast<double>(number) / static_cast<double>(options_.rate));
  }

  void send_what_is_due() {
    for (const auto now = Clock::now(); !idle_.empty() && due(sent_) <= now; ++sent_) {
      Connection& connection = *idle_.front();
      idle_.pop_front();
      connection.begin = due(sent_);
      write(connection);
    }
  }

  void watch(Connection& connection, int operation, std::uint32_t events) {
    bench::watch(poll_, operation, connection.socket, events, &connection);
    connection.waits_to_write = (events & EPOLLOUT) != 0;
  }

  // A connection that broke counts as an error, and another takes its place.
  void again(Connection& connection) {
    ++errors_;
    if (errors_ > 1000) fail("a thousand errors, the last");
    std::erase(idle_, &connection);  // in which open() puts it
    replace(connection);
  }

  void write(Connection& connection) {
    const std::string_view left = std::string_view(batch_).substr(connection.sent);
    const ssize_t sent = send(connection.socket, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) return again(connection);
    if (sent > 0) connection.sent += static_cast<std::size_t>(sent);
    const bool waits = connection.sent < batch_.size();
    if (waits != connection.waits_to_write) watch(connection, EPOLL_CTL_MOD, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  void read(Connection& connection) {
    const ssize_t received = recv(connection.socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (received < 0 && errno == EAGAIN) return;
    if (options_.close && received == 0 && connection.received == expected_) return replace(connection);
    if (received <= 0) return again(connection);
    if (connection.received == 0) {
      constexpr std::string_view good = "HTTP/1.1 200";
      const std::string_view begin(buffer_.data(), static_cast<std::size_t>(received));
      if (!begin.starts_with(good.substr(0, begin.size()))) return again(connection);
    }
    connection.received += static_cast<std::size_t>(received);
    if (connection.received > expected_) return again(connection);
    if (connection.received < expected_) return;
    const auto now = Clock::now();
    answered_ += options_.depth;
    samples_.push_back(static_cast<float>(std::chrono::duration<double, std::micro>(now - connection.begin).count()));
    if (options_.close) return;  // until the server closes
    connection.sent = connection.received = 0;
    next(connection, now);
  }

  void replace(Connection& connection) {
    close(connection.socket);
    open(connection);
  }

  void serve_until(Clock::time_point end) {
    std::array<epoll_event, 512> events;
    const bool paced = options_.rate > 0;
    while (Clock::now() < end) {
      if (paced) send_what_is_due();
      const int ready =
          epoll_wait(poll_, events.data(), events.size(), paced ? 0 : 100);  // it has a processor of its own
      for (int i = 0; i < ready; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        Connection& connection = *static_cast<Connection*>(event.data.ptr);
        if ((event.events & EPOLLOUT) != 0) write(connection);
        if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
      }
    }
  }

  // Of the latencies, in microseconds.
  double percentile(double share) {
    if (samples_.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(samples_.size() - 1));
    std::nth_element(samples_.begin(), samples_.begin() + at, samples_.end());
    return static_cast<double>(samples_[static_cast<std::size_t>(at)]);
  }

  void report(double seconds) {
    std::printf("{\"requests\": %zu, \"seconds\": %.6f, \"errors\": %zu, \"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, ",
                answered_, seconds, errors_, percentile(0.5), percentile(0.9), percentile(0.99));
    std::printf("\"p99.9\": %.1f, \"max\": %.1f}\n", percentile(0.999), percentile(1));
  }

  const bench::LoadOptions& options_;
  std::size_t expected_;
  std::string batch_ = {};
  std::vector<Connection> connections_;
  int poll_ = epoll_create1(EPOLL_CLOEXEC);
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
  std::vector<float> samples_ = {};
  Clock::time_point first_due_ = {};
  std::size_t sent_ = 0;               // of those that are due
  std::deque<Connection*> idle_ = {};  // without a request, while there is a rate
  std::size_t answered_ = 0;
  std::size_t errors_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::LoadOptions options = bench::load_options(argc, argv);
  bench::take_all_descriptors();
  Load(options).run();
}
