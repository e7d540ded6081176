// A client of WebSockets that costs little: its frames are made in advance, and of received data it reads the frames'
// heads.
//
// --mode echo: each connection sends --depth messages, and the next when all have come back. --mode topic: the first
// publishes, all others receive its messages, and --depth messages are in flight. Each received message
// counts. Prints as bench-load does: `begin` after warming up, `end`, and a line of JSON.
#include "client.hpp"
#include "messages.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

using bench::Clock;
using bench::fail;

struct Options {
  std::uint16_t port;
  std::string path;
  bool is_topic;
  bench::MessageKind kind;
  std::size_t connections;
  std::size_t depth;
  std::size_t size;
  double seconds;
  double warm_up;
};

struct Connection {
  int socket = -1;
  bool waits_to_write = false;
  std::size_t left = 0;     // bytes still to be sent of the frames that are due
  std::size_t awaited = 0;  // messages of an echo
  bench::MessageCounter counter;
};

int upgraded(const Options& options) {
  const int socket = bench::connected(options.port);
  const timeval patience = {.tv_sec = 20, .tv_usec = 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const std::string request = "GET " + options.path +
                              " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  if (send(socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) fail("send");
  std::string answer;
  while (!answer.ends_with("\r\n\r\n")) {
    char byte = 0;
    if (recv(socket, &byte, 1, 0) != 1) fail("the handshake's answer");
    answer += byte;
  }
  const bool is_good = answer.starts_with("HTTP/1.1 101 ") && answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  if (!is_good) fail("a handshake was refused");
  return socket;
}

class Load {
public:
  explicit Load(const Options& options)
      : options_(options), connections_(options.connections, {.counter = bench::MessageCounter(options.kind)}) {
    if (poll_ < 0) fail("epoll");
    frame_ = bench::masked_message(options.kind, options.size);
    for (std::size_t i = 0; i < options.depth; ++i) batch_ += frame_;
  }

  void run() {
    for (Connection& connection : connections_) {
      connection.socket = upgraded(options_);
      bench::watch(poll_, EPOLL_CTL_ADD, connection.socket, EPOLLIN, &connection);
    }
    serve_until(Clock::now() + bench::duration_of(0.2));  // a server may subscribe a little after its answer
    if (options_.is_topic) {
      publish();
    } else {
      for (Connection& connection : connections_) ask(connection);
    }
    serve_until(Clock::now() + bench::duration_of(options_.warm_up));
    const std::size_t before = received_;
    bench::print_line("begin");
    const auto begin = Clock::now();
    serve_until(begin + bench::duration_of(options_.seconds));
    const std::chrono::duration<double> took = Clock::now() - begin;
    bench::print_line("end");
    std::printf("{\"count\": %zu, \"seconds\": %.6f}\n", received_ - before, took.count());
  }

private:
  void ask(Connection& connection) {
    connection.awaited = options_.depth;
    connection.left = batch_.size();
    write(connection);
  }

  // Keeps --depth messages in flight, counted by the messages received by all subscribers.
  void publish() {
    Connection& publisher = connections_.front();
    const std::size_t subscribers = connections_.size() - 1;
    const bool was_idle = publisher.left == 0;
    for (; published_ * subscribers < received_ + options_.depth * subscribers; ++published_) {
      publisher.left += frame_.size();
    }
    if (was_idle && publisher.left > 0) write(publisher);
  }

  void write(Connection& connection) {
    while (connection.left > 0) {
      // The remaining bytes are the end of the batch, since all frames are equal.
      const std::size_t size = std::min(connection.left, batch_.size());
      const std::size_t from = (batch_.size() - connection.left % frame_.size()) % frame_.size();
      const std::size_t count = std::min(size, batch_.size() - from);
      const ssize_t sent = send(connection.socket, batch_.data() + from, count, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) fail("send");
      if (sent < 0) break;
      connection.left -= static_cast<std::size_t>(sent);
    }
    const bool waits = connection.left > 0;
    if (waits == connection.waits_to_write) return;
    bench::watch(poll_, EPOLL_CTL_MOD, connection.socket, waits ? EPOLLIN | EPOLLOUT : EPOLLIN, &connection);
    connection.waits_to_write = waits;
  }

  void read(Connection& connection) {
    const ssize_t size = recv(connection.socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) fail("a connection was closed");
    const auto ended = connection.counter.count({buffer_.data(), static_cast<std::size_t>(size)}, options_.size);
    if (!ended) fail("something else came than was sent");
    if (*ended == 0) return;
    received_ += *ended;
    if (options_.is_topic) return publish();
    if (*ended > connection.awaited) fail("more came than was sent");
    connection.awaited -= *ended;
    if (connection.awaited == 0) ask(connection);
  }

  void serve_until(Clock::time_point end) {
    std::array<epoll_event, 512> events;
    while (Clock::now() < end) {
      const int ready = epoll_wait(poll_, events.data(), events.size(), 50);
      for (int i = 0; i < ready; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        Connection& connection = *static_cast<Connection*>(event.data.ptr);
        if ((event.events & EPOLLOUT) != 0) write(connection);
        if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
      }
    }
  }

  const Options& options_;
  std::string frame_ = {};
  std::string batch_ = {};
  std::vector<Connection> connections_;
  int poll_ = epoll_create1(EPOLL_CLOEXEC);
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
  std::size_t received_ = 0;
  std::size_t published_ = 0;
};

Options options_of(int argc, char** argv) {
  bench::Flags flags(argc, argv,
                     "bench-websocket --port N --path PATH [--mode echo|topic] [--kind text|binary] [--connections N] "
                     "[--depth N] [--size BYTES] [--milliseconds N] [--warm-up-milliseconds N]");
  const std::size_t port = flags.number("--port", 0);
  const std::string_view mode = flags.word("--mode", "echo");
  const std::string_view kind = flags.word("--kind", "text");
  const Options options = {.port = static_cast<std::uint16_t>(port),
                           .path = std::string(flags.word("--path", "")),
                           .is_topic = mode == "topic",
                           .kind = kind == "binary" ? bench::MessageKind::Binary : bench::MessageKind::Text,
                           .connections = flags.number("--connections", 64),
                           .depth = flags.number("--depth", 1),
                           .size = flags.number("--size", 20),
                           .seconds = static_cast<double>(flags.number("--milliseconds", 2000)) / 1000,
                           .warm_up = static_cast<double>(flags.number("--warm-up-milliseconds", 500)) / 1000};
  flags.finish();
  const bool is_wrong = port == 0 || port > 65535 || options.path.empty() || (mode != "echo" && mode != "topic") ||
                        (kind != "text" && kind != "binary") || options.connections < (options.is_topic ? 2u : 1u) ||
                        options.depth == 0 || options.size == 0;
  if (is_wrong) flags.refuse();
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  bench::take_all_descriptors();
  Load(options).run();
}
