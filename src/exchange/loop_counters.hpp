// What a loop counts about its connections and requests, for http::ServerView.
#pragma once

#include "base/counter.hpp"
#include "http1/fault.hpp"
#include "websockets/socket_counters.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::exchange {

// What a connection speaks.
enum class Spoken : std::uint8_t { Handshake, Http1, Http2, WebSocket };
inline constexpr std::array<std::string_view, 4> spoken_names = {"tls_handshake", "http/1.1", "http/2", "websocket"};

// Why a request or a connection was refused or ended by the server, besides the faults of HTTP/1.1.
enum class Refusal : std::uint8_t {
  UntrustedProxy,    // a PROXY header from a peer that is not trusted
  OutOfMemory,       // a failed allocation ended the connection
  HeadTimeout,       // 408
  ContentTooSlow,    // 408
  ContentTooLarge,   // 413
  ContentMalformed,  // 400, or 431 for trailers
  ContentMemory,     // 503: the budget for buffered content is used up
  ResponseMemory,    // 503: unread responses have used it up
  HandlerTimeout,    // 503
  ResponseTooSlow,   // the client read too slowly
  Http2Request,      // a malformed or oversized head
  Http2Connection,   // a fault of the client, or one of the limits of http2::Limits
  Overload,          // shed by a middleware
};
inline constexpr std::array<std::string_view, 13> refusal_names = {
    "untrusted_proxy",   "out_of_memory",    "head_timeout",    "content_too_slow", "content_too_large",
    "content_malformed", "content_memory",   "response_memory", "handler_timeout",  "response_too_slow",
    "http2_request",     "http2_connection", "overload"};

struct LoopCounters {
  base::Counter closed;
  base::Counter accept_pauses;  // because of the limit of connections or descriptors
  std::array<base::Gauge, spoken_names.size()> connections;
  base::Gauge http1_requests;  // in flight
  base::Gauge http2_requests;
  base::Gauge busy_http2;   // connections with a stream
  base::Counter abandoned;  // requests whose client disconnected
  std::array<base::Counter, http1::fault_count> faults;
  std::array<base::Counter, refusal_names.size()> refusals;
  base::Counter tls_handshakes;
  base::Counter tls_resumptions;
  base::Counter tls_failures;
  base::Counter http2_streams;
  base::Counter http2_resets_received;
  base::Counter http2_resets_sent;
  websockets::SocketCounters sockets;

  void refuse(Refusal why) noexcept { ++refusals[static_cast<std::size_t>(why)]; }
  base::Gauge& requests_of(Spoken spoken) noexcept { return spoken == Spoken::Http2 ? http2_requests : http1_requests; }
  base::Gauge& connections_of(Spoken spoken) noexcept { return connections[static_cast<std::size_t>(spoken)]; }
};

}  // namespace tern::exchange
