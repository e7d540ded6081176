// What a client may send before it is refused, and how much of what costs it nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::http2 {

// Something that a client may do `burst` times at once and `per_second` times a second from then on. Past it the
// connection ends with ENHANCE_YOUR_CALM.
struct Rate {
  std::uint32_t burst;
  std::uint32_t per_second;
};

// In bytes, unless it says otherwise. One per server; sessions hold a reference.
struct Limits {
  std::size_t target = 8 * 1024;                  // 414 past it
  std::size_t fields = 80 * 1024;                 // 431: all fields of a head, counted as HTTP/1.1 writes them
  std::size_t field_count = 100;                  // 431: in a head, and again in a trailer section
  std::size_t trailers = 8 * 1024;                // 431: all trailers together, counted in the same way
  std::uint32_t streams = 100;                    // at once; more are refused
  std::uint32_t stream_window = 256 * 1024;       // of content that nobody has read yet; at most 2^31-1
  std::uint32_t connection_window = 1024 * 1024;  // of all streams together
  bool extended_connect = false;                  // whether clients may bootstrap other protocols (RFC 8441)
  std::size_t unframed = 64 * 1024;               // that send() appends at most, but for the last frame

  Rate resets = {200, 50};            // RST_STREAM by the client, and those it makes us send
  Rate settings = {20, 2};            // SETTINGS
  Rate pings = {100, 10};             // PING
  Rate priorities = {400, 100};       // PRIORITY, PRIORITY_UPDATE
  Rate empty_data = {100, 10};        // DATA that carries nothing and ends nothing
  Rate window_updates = {1000, 200};  // WINDOW_UPDATE, beside two for each frame of content that we send
};

// A header block may grow to so many times Limits::fields while it is decoded, although nothing of it is kept past the
// limit; one that goes on ends the connection (a few bytes of HPACK stand for thousands).
inline constexpr std::size_t max_decoded = 4;

}  // namespace tern::http2
