// Limits on requests, and rates of frames that cost a client nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::http2 {

// A client may do something `burst` times at once, and then `per_second` times a second. Beyond, the connection ends
// with ENHANCE_YOUR_CALM.
struct Rate {
  std::uint32_t burst;
  std::uint32_t per_second;
};

// In bytes unless stated otherwise. One per server; sessions hold a reference.
struct Limits {
  std::size_t target = 8 * 1024;                  // 414 beyond it
  std::size_t fields = 80 * 1024;                 // 431: all fields of a head, counted as HTTP/1.1 writes them
  std::size_t field_count = 100;                  // 431: in a head, and again in a trailer section
  std::size_t trailers = 8 * 1024;                // 431: all trailers together, counted in the same way
  std::uint32_t streams = 100;                    // concurrent; more are refused
  std::uint32_t stream_window = 256 * 1024;       // of content that was not read yet; at most 2^31-1
  std::uint32_t connection_window = 1024 * 1024;  // of all streams together
  bool extended_connect = false;                  // whether clients may bootstrap other protocols (RFC 8441)
  std::size_t max_send_bytes = 112 * 1024;        // appended by one send(), plus at most one frame

  Rate resets = {200, 50};            // RST_STREAM by the client, and by the server because of the client
  Rate settings = {20, 2};            // SETTINGS
  Rate pings = {100, 10};             // PING
  Rate priorities = {400, 100};       // PRIORITY, PRIORITY_UPDATE
  Rate empty_data = {100, 10};        // DATA without content and without END_STREAM
  Rate window_updates = {1000, 200};  // WINDOW_UPDATE, in addition to two for each DATA frame that the server sends
};

// A decoded header block may grow to this multiple of Limits::fields; fields beyond the limit are discarded. A larger
// one ends the connection (a few bytes of HPACK can expand to thousands).
inline constexpr std::size_t max_decoded = 4;

}  // namespace tern::http2
