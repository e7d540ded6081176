// For the tests: builds a client's frames, and feeds a Connection with bytes in pieces, recording a transcript. An
// unreadable page follows the last byte.
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
  unsigned rsv = 0;  // the bits in the first byte: 0x40, 0x20, 0x10
  bool masked = true;
  MaskKey key = {'\x37', '\xfa', '\x21', '\x3d'};
  unsigned length_form = 0;  // 126 or 127: uses that form for any length
};

std::string frame(unsigned opcode, std::string_view payload, const FrameOptions& options = {});
inline std::string text(std::string_view payload) {
  return frame(1, payload);
}
inline std::string binary(std::string_view payload) {
  return frame(2, payload);
}
// One message in fragments of at most `size` bytes.
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
  std::optional<DeflateParameters> deflate = {};
  std::size_t inflation_budget = static_cast<std::size_t>(-1);  // per call; the message is deferred beyond it
  bool direct_receive = false;  // payload is passed to read_into(), a few bytes at a time
};

struct Outcome {
  std::string transcript;      // "text hi", "binary …", "closed 1000 why"; long payloads by their size
  std::string sent;            // read_frames() of what the connection has written
  std::size_t max_unread = 0;  // bytes that were left to be presented again
  std::size_t deferrals = 0;
  bool operator==(const Outcome& other) const { return transcript == other.transcript && sent == other.sent; }
};

// `cuts` are the positions at which `input` is split, in ascending order.
Outcome feed(std::string_view input, std::span<const std::size_t> cuts, const FeedOptions& options = {});
// Feeds the input whole, split at every position, and byte by byte. Fails the test if the outcomes differ.
Outcome feed_every_way(std::string_view input, const FeedOptions& options = {});

}  // namespace tern::websocket::testing
