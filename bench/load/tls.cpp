// A client of TLS 1.3 for responses of a known length: AES-128-GCM, X25519, and the certificate is not looked at.
//
// --close true: a connection and a handshake for each answer, with --resume true by the ticket that came last.
// Otherwise each connection asks again and again. Prints as bench-load does: `begin` after warming up, `end`, and a
// line of JSON.
#include "client.hpp"
#include "tls_client.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <openssl/err.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace {

using bench::Clock;
using bench::fail;

struct Options {
  std::uint16_t port;
  std::string path;
  std::size_t answer;
  std::size_t connections;
  bool close;
  bool resume;
  double seconds;
  double warm_up;
};

struct Connection {
  int socket = -1;
  bench::OwnedTls tls = {};
  bool has_asked = false;
  bool waits_to_write = false;
  std::size_t received = 0;
};

class Load {
public:
  explicit Load(const Options& options)
      : options_(options),
        context_(bench::client_context(session_, options.close ? 16 * 1024 : 256 * 1024)),
        connections_(options.connections) {
    if (poll_ < 0) fail("epoll");
    request_ = "GET " + options.path + " HTTP/1.1\r\nHost: localhost\r\n" +
               (options.close ? "Connection: close\r\n\r\n" : "\r\n");
  }

  void run() {
    if (options_.resume) take_a_ticket();
    takes_part_ = true;
    for (Connection& connection : connections_) open(connection);
    serve_until(Clock::now() + bench::duration_of(options_.warm_up));
    const std::size_t before = answered_;
    const std::size_t bytes_before = bytes_;
    bench::print_line("begin");
    const auto begin = Clock::now();
    serve_until(begin + bench::duration_of(options_.seconds));
    const std::chrono::duration<double> took = Clock::now() - begin;
    bench::print_line("end");
    std::printf("{\"count\": %zu, \"bytes\": %zu, \"seconds\": %.6f}\n", answered_ - before, bytes_ - bytes_before,
                took.count());
  }

private:
  void take_a_ticket() {
    open(connections_.front());
    const auto patience = Clock::now() + bench::duration_of(20);
    while (answered_ == 0 && Clock::now() < patience) serve_until(Clock::now() + bench::duration_of(0.01));
    if (!session_) fail("the server gives no tickets");
    close(connections_.front());
  }

  void open(Connection& connection) {
    connection.socket = bench::connected(options_.port);
    if (fcntl(connection.socket, F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
    connection.tls = bench::client_tls(*context_, connection.socket, options_.resume ? session_.get() : nullptr);
    connection.has_asked = connection.waits_to_write = false;
    connection.received = 0;
    bench::watch(poll_, EPOLL_CTL_ADD, connection.socket, EPOLLIN, &connection);
    go_on(connection);
  }

  static void close(Connection& connection) {
    if (connection.socket < 0) return;
    // Without it OpenSSL takes the session for a broken one.
    SSL_set_shutdown(connection.tls.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    connection.tls.reset();
    ::close(connection.socket);
    connection.socket = -1;
  }

  // After the handshake, which this does first. False: it has to wait.
  bool ask(Connection& connection) {
    SSL* const tls = connection.tls.get();
    const int wrote = SSL_write(tls, request_.data(), static_cast<int>(request_.size()));
    connection.has_asked = wrote > 0;
    if (!connection.has_asked) wait(connection, SSL_get_error(tls, wrote));
    if (connection.has_asked && takes_part_ && (SSL_session_reused(tls) == 1) != options_.resume) {
      fail("a session was resumed, or was not");
    }
    return connection.has_asked;
  }

  // As far as it goes without waiting.
  void go_on(Connection& connection) {
    if (!connection.has_asked && !ask(connection)) return;
    while (true) {
      const int size = SSL_read(connection.tls.get(), buffer_.data(), static_cast<int>(buffer_.size()));
      if (size <= 0) return stopped(connection, SSL_get_error(connection.tls.get(), size));
      constexpr std::string_view good = "HTTP/1.1 200 ";
      const std::string_view begin(buffer_.data(), static_cast<std::size_t>(size));
      if (connection.received == 0 && !begin.starts_with(good.substr(0, begin.size()))) fail("another answer came");
      connection.received += begin.size();
      bytes_ += begin.size();
      if (connection.received > options_.answer) fail("more came than an answer");
      if (connection.received < options_.answer) continue;
      ++answered_;
      if (options_.close) continue;  // until the server closes
      connection.received = 0;
      ask(connection);
      return;
    }
  }

  void stopped(Connection& connection, int why) {
    const bool is_over = options_.close && connection.received == options_.answer && why != SSL_ERROR_WANT_READ;
    if (!is_over) return wait(connection, why);
    ERR_clear_error();  // some servers close without saying so before
    close(connection);
    if (takes_part_) open(connection);
  }

  void wait(Connection& connection, int why) {
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
      ERR_print_errors_fp(stderr);
      fail("a connection broke");
    }
    const bool waits = why == SSL_ERROR_WANT_WRITE;
    if (waits == connection.waits_to_write) return;
    bench::watch(poll_, EPOLL_CTL_MOD, connection.socket, waits ? EPOLLIN | EPOLLOUT : EPOLLIN, &connection);
    connection.waits_to_write = waits;
  }

  void serve_until(Clock::time_point end) {
    std::array<epoll_event, 64> events;
    while (Clock::now() < end) {
      const int ready = epoll_wait(poll_, events.data(), events.size(), 50);
      for (int i = 0; i < ready; ++i) go_on(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
    }
  }

  const Options& options_;
  bench::OwnedSession session_ = {};
  bench::OwnedContext context_;
  bool takes_part_ = false;  // not while the first ticket is fetched
  std::string request_ = {};
  std::vector<Connection> connections_;
  int poll_ = epoll_create1(EPOLL_CLOEXEC);
  std::vector<char> buffer_ = std::vector<char>(64 * 1024);
  std::size_t answered_ = 0;
  std::size_t bytes_ = 0;
};

Options options_of(int argc, char** argv) {
  bench::Flags flags(argc, argv,
                     "bench-tls --port N --answer BYTES [--path PATH] [--connections N] [--close true|false] "
                     "[--resume true|false] [--milliseconds N] [--warm-up-milliseconds N]");
  const std::size_t port = flags.number("--port", 0);
  const Options options = {.port = static_cast<std::uint16_t>(port),
                           .path = std::string(flags.word("--path", "/")),
                           .answer = flags.number("--answer", 0),
                           .connections = flags.number("--connections", 8),
                           .close = flags.word("--close", "false") == "true",
                           .resume = flags.word("--resume", "false") == "true",
                           .seconds = static_cast<double>(flags.number("--milliseconds", 2000)) / 1000,
                           .warm_up = static_cast<double>(flags.number("--warm-up-milliseconds", 500)) / 1000};
  flags.finish();
  const bool is_wrong = port == 0 || port > 65535 || options.answer == 0 || options.connections == 0 ||
                        (options.resume && !options.close);
  if (is_wrong) flags.refuse();
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  bench::take_all_descriptors();
  Load(options).run();
}
