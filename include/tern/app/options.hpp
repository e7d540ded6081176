// How a server is run. Every default is the one of a careful operator.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/forwarded_by.hpp>
#include <tern/http/log_options.hpp>
#include <tern/http/tls_options.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tern {

// One more address that is served.
struct Listener {
  std::string name = {};           // for App::listener() and Request::listener(); each is there once
  std::string host = "127.0.0.1";  // as in Options, and so the others
  std::uint16_t port = 0;          // 0: a free one; App::port(1) is that of the first in Options::listeners
  std::string unix_path = {};
  TlsOptions tls = {};
  bool proxy_protocol = false;
  bool share_port = false;
};

// Proxies in front of the server.
struct ProxyOptions {
  // Addresses of proxies: "127.0.0.1", "10.0.0.0/8", "unix" for peers on a Unix socket. What they report about their
  // clients becomes Request::remote(), remote_port() and scheme(); reports of other peers are ignored.
  std::vector<std::string> trusted = {};
  ForwardedBy forwarded = ForwardedBy::XForwarded;
};

// Bounds of one request, and of all together.
struct ServerLimits {
  std::size_t max_request_line_bytes = 8 * 1024;  // 414
  std::size_t max_fields_bytes = 80 * 1024;       // 431
  std::size_t max_field_count = 100;              // 431
  Limits request = {};                            // of each request; a route may replace them
  // All contents in memory together: collected ones of requests, and responses that clients have not read. Past it 503,
  // for large responses too; past half of it, responses have to be read within a minute. 0: a quarter of the memory.
  // Beside them a connection may hold up to 256 KiB that were received and not read by its handler.
  std::size_t max_buffered_bytes = 0;
  std::size_t max_connections = 0;  // 0: what the descriptor limit allows, less a reserve
};

// Zero turns a timeout off.
struct Timeouts {
  Milliseconds head = Seconds(10);   // from the first byte of a request to the end of its head: 408
  Milliseconds idle = Seconds(60);   // between requests: close
  Milliseconds drain = Seconds(30);  // for requests in flight when the server stops
  // Between the first signal, or App::stop(), and the drain: everything is served as before, while App::is_draining()
  // is true, so that load balancers learn of it first. A second signal ends it.
  Milliseconds drain_delay = Milliseconds(0);
  // For requests on their way to idle connections when the server stops: these stay open for so long, and what arrives
  // is answered with `Connection: close`. Zero: only what has already arrived is answered.
  Milliseconds drain_idle = Milliseconds(500);
  // For received content (408) and for responses being read (close), after the grace period.
  std::size_t min_bytes_per_second = 240;
  Milliseconds min_rate_grace = Seconds(5);
  // Where the minimum rate does not apply: an event stream (or another response with Writer::keep_alive()) whose client
  // reads nothing for so long is closed. WebSockets have pings (WebSocketOptions).
  Milliseconds stall = Seconds(60);
};

// HTTP/2, where the library was built with it.
struct Http2Options {
  bool enabled = true;
  // Without TLS, for clients that know beforehand that the server speaks HTTP/2 (h2c by prior knowledge).
  bool clear_text = true;
  // Without TLS, HTTP/2 only: a connection that begins otherwise is closed.
  bool only = false;
  unsigned max_concurrent_streams = 100;                // of a connection; more are refused
  std::uint32_t stream_window_bytes = 256 * 1024;       // content of a request that its handler has not read yet
  std::uint32_t connection_window_bytes = 1024 * 1024;  // of all requests of a connection together
};

// The thread pool of offload() and blocking().
struct PoolOptions {
  unsigned threads = 0;                // 0: one for each processor
  std::size_t max_queued_jobs = 1024;  // of each priority: 503 past it
  bool sheds_load = false;             // 503 for what would wait long, see ThreadPoolOptions
  // Added to the process's nice value for these threads, 0 to 19: loops take precedence, and so do other programs. With
  // 0, what waits for the pool, such as statements of SQLite, is not slower beside a busy program.
  unsigned nice = 10;
};

struct Options {
  std::string host = "127.0.0.1";  // an IPv4 or IPv6 address, or "localhost"; "0.0.0.0" or "::" for all
  std::uint16_t port = 8080;       // 0: a free one; App::port() returns it
  std::string unix_path = {};      // a Unix socket instead
  TlsOptions tls = {};
  bool proxy_protocol = false;  // each connection begins with a header of the PROXY protocol, version 1 or 2, and comes
                                // from one of proxies.trusted: Request::remote() is the address in it
  // Other processes of the same user that share the port, too, serve it at the same time (SO_REUSEPORT): the kernel
  // spreads the connections. Without, a port that is served is an error at the start. Not for Unix sockets.
  bool share_port = false;
  // SIGUSR2 starts the program again, by the name and with the arguments of its start, and gives it the listening
  // sockets. When the successor serves, this process drains; if it fails to, everything stays as it is.
  bool handover = false;
  std::vector<Listener> listeners = {};  // more addresses, each plain or with TLS of its own
  ProxyOptions proxies = {};
  unsigned threads = 0;  // loops; 0: as many as processors that this process may use
  // Busy polling: a loop whose last sleep was shorter polls for so long before it sleeps again. Lower latency for up to
  // a whole processor per loop; 20 to 50 are useful. 0: off.
  unsigned busy_poll_microseconds = 0;
  ServerLimits limits = {};
  Timeouts timeouts = {};
  Http2Options http2 = {};
  PoolOptions pool = {};
  LogOptions logging = {};
  std::string server_field = {};  // the value of the Server field; empty: none

  // From the file tern.toml, the environment (TERN_PORT) and the command line (--port): the component tern::config, see
  // docs/guide/configuration.md. Prints and ends the process for --help and --check, and if there are faults.
  static Options from(int argc, const char* const* argv);
};

}  // namespace tern
