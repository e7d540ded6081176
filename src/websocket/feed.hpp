// For the tests: frames as a client writes them, and a Connection fed with bytes in whatever pieces, with a transcript
// of what comes out. The bytes end at a page that cannot be read.
#pragma once

#include "websocket/connection.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::websocket::testing {

struct FrameOptions {
  bool fin = true;
  unsigned rsv = 0;  // as the bits stand in the first byte: 0x40, 0x20, 0x10
  bool masked = true;
  MaskKey key = {'\x37', '\xfa', '\x21', '\x3d'};
  unsigned length_form = 0;  // 126 or 127: that form, however short the payload
};

std::string frame(unsigned opcode, std::string_view payload, const FrameOptions& options = {});
inline std::string text(std::string_view payload) {
  return frame(1, payload);
}
inline std::string binary(std::string_view payload) {
  return frame(2, payload);
}
// One message in pieces of at most `size` bytes.
std::string fragments(unsigned opcode, std::string_view payload, std::size_t size);
// The payload of a close frame.
std::string close_payload(unsigned code, std::string_view reason = "");
inline std::string close(unsigned code, std::string_view reason = "") {
  return frame(8, close_payload(code, reason));
}

// Frames of a server, as lines: "text hi", "binary …", "close 1002 why", "ping", "pong", "deflated …".
std::string read_frames(std::string_view bytes);

struct FeedOptions {
  Limits limits = {};
  std::optional<DeflateTerms> deflate = {};
  std::size_t inflation_budget =
      static_cast<std::size_t>(-1);  // after which the message is deferred, and gets it again
  bool takes = false;                // payload that is awaited() is fetched by take(), some bytes at a time
};

struct Outcome {
  std::string transcript;      // "text hi", "binary …", "closed 1000 why"; long payloads as their size
  std::string sent;            // read_frames() of what the connection has written
  std::size_t max_unread = 0;  // bytes that the connection left to be presented again
  std::size_t deferrals = 0;
  bool operator==(const Outcome& other) const { return transcript == other.transcript && sent == other.sent; }
};

// `cuts` are the positions at which `input` is split, in ascending order.
Outcome feed(std::string_view input, std::span<const std::size_t> cuts, const FeedOptions& options = {});
// Whole, split at every position, and byte by byte: fails the test where the outcomes differ.
Outcome feed_every_way(std::string_view input, const FeedOptions& options = {});

}  // namespace tern::websocket::testing
