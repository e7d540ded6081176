// How a server is run. Every default is the one of a careful operator.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/http/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tern {

enum class AccessLog : std::uint8_t { Off, Common, Combined, Json };
enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error, Off };

struct LogOptions {
  AccessLog access = AccessLog::Off;
  std::string access_file = {};     // empty: standard output
  LogLevel level = LogLevel::Info;  // of the error log
  std::string error_file = {};      // empty: standard error
};

// Durations of zero turn a timeout off.
struct Timeouts {
  Milliseconds head = Seconds(10);   // from the first byte of a request to the end of its head: 408
  Milliseconds idle = Seconds(60);   // between requests: close
  Milliseconds drain = Seconds(30);  // for requests in flight when the server stops
  // For requests on their way to idle connections when the server stops: so long these are kept open, and what arrives
  // is answered with `Connection: close`. Zero: only what has already arrived is answered.
  Milliseconds drain_idle = Milliseconds(500);
  Milliseconds grace = Seconds(5);  // before the least rate counts
  std::size_t min_data_rate = 240;  // bytes a second, of content received (408) and of answers being read (close)
  // What the least rate does not hold for: an event stream (or another response with Writer::keep_alive()) whose client
  // takes nothing for so long is closed. WebSockets have pings (WebSocketOptions).
  Milliseconds stall = Seconds(60);
};

// PEM files: a certificate, with those that lead to its root behind it, and its key, unencrypted.
struct TlsCertificate {
  std::string certificate = {};
  std::string key = {};   // empty: in the same file
  std::string ocsp = {};  // a DER file: what the issuer's OCSP responder said last, for stapling; empty: none
};

// Whether clients have to show a certificate. One that is shown must be good in either case.
enum class ClientCertificates : std::uint8_t { None, Optional, Required };

// TLS 1.2 and 1.3. The files are looked at every second and loaded again when they have changed; connections that exist
// are not touched. Files that cannot be used are an error at the start; later they are logged, and the old ones stay.
struct TlsOptions {
  std::string certificate = {};  // empty: no TLS
  std::string key = {};          // empty: in the same file
  std::string ocsp = {};
  std::vector<TlsCertificate> certificates =
      {};                      // more of them, each for the names in it, chosen by what a client asks
  std::string client_ca = {};  // a PEM file: who vouches for clients
  ClientCertificates client = ClientCertificates::None;  // Request::tls() has the subject
};

// By which fields proxies say whom they were asked by: X-Forwarded-For and X-Forwarded-Proto, or Forwarded (RFC 7239).
// Only one, since a proxy that writes the one lets through what clients have written into the other.
enum class ForwardedBy : std::uint8_t { XForwarded, Forwarded };

// One more address that is served.
struct Listen {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;      // 0: one that is free; App::port(1) tells that of the first of them
  std::string unix_path = {};  // a Unix socket instead
  TlsOptions tls = {};
  bool proxy_protocol = false;  // as Options::proxy_protocol
};

// HTTP/2, where the library was built with it.
struct Http2 {
  bool enabled = true;
  // Without TLS, for clients that know beforehand that the server speaks HTTP/2 (h2c by prior knowledge).
  bool clear_text = true;
  // Without TLS, nothing else: what begins otherwise is no client.
  bool only = false;
  unsigned streams = 100;                   // at once on a connection; more are refused
  std::uint32_t window = 256 * 1024;        // bytes of a request's content that nobody has read yet
  std::uint32_t all_windows = 1024 * 1024;  // of all requests of a connection together
};

struct Options {
  std::string host = "127.0.0.1";  // an IPv4 or IPv6 address, or "localhost"; "0.0.0.0" or "::" for all
  std::uint16_t port = 8080;       // 0: one that is free; App::port() tells
  std::string unix_path = {};      // a Unix socket instead
  TlsOptions tls = {};
  bool proxy_protocol = false;    // each connection begins with the PROXY protocol's header, version 1 or 2, and comes
                                  // from one of trusted_proxies: Request::remote() is whom it names
  std::vector<Listen> also = {};  // other addresses, each plain or with TLS of its own
  // Proxies in front: "127.0.0.1", "10.0.0.0/8", "unix" for peers on a Unix socket. What they say about their
  // clients becomes Request::remote(), remote_port() and scheme(); nobody else is believed.
  std::vector<std::string> trusted_proxies = {};
  ForwardedBy forwarded = ForwardedBy::XForwarded;
  unsigned threads = 0;  // loops; 0: as many as processors that this process may use
  // Busy polling: microseconds for which a loop whose last sleep was shorter polls before it sleeps again. Lower
  // latency for up to a whole processor per loop; 20 to 50 are useful. 0: off.
  unsigned busy_poll = 0;

  std::size_t request_line = 8 * 1024;  // bytes: 414
  std::size_t fields = 80 * 1024;       // bytes: 431
  std::size_t field_count = 100;        // 431
  Limits limits = {};                   // of each request; routes may change them
  // Bytes of all contents that are held together: collected ones of requests, and answers that clients have not read.
  // Past it 503, for large answers too; past half of it, answers have to be read within a minute. 0: a quarter of the
  // memory. Beside them a connection may hold up to 256 KiB that were received and not read by its handler.
  std::size_t buffered = 0;
  std::size_t connections = 0;    // at once; 0: what the descriptor limit allows, less a reserve
  unsigned pool_threads = 0;      // for offload() and blocking(); 0: one for each processor
  std::size_t pool_queue = 1024;  // jobs of each priority that may wait for a thread: 503 past it
  Timeouts timeouts = {};
  Http2 http2 = {};
  LogOptions log = {};
  std::string server = {};  // the Server field; empty: none
};

}  // namespace tern
