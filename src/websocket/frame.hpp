// Frames (RFC 6455, section 5.2):
//
//    FIN RSV1-3 opcode(4) | MASK length(7) | length (16 or 64 bits, if 126 or 127) | masking key (4 bytes) | payload
//
// FrameHead is the part before the payload. read_frame_head() parses and validates it; append_frame() writes a server's
// frame, which is not masked.
#pragma once

#include "websocket/mask.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern::websocket {

enum class Opcode : std::uint8_t { Continuation = 0, Text = 1, Binary = 2, Close = 8, Ping = 9, Pong = 10 };

constexpr bool is_control(Opcode opcode) noexcept {
  return static_cast<std::uint8_t>(opcode) >= 8;
}

inline constexpr std::size_t max_control_payload = 125;
inline constexpr std::size_t max_head_size = 10;  // of an unmasked frame

// Protocol violations.
enum class Fault : std::uint8_t {
  None,
  ReservedBit,
  ReservedOpcode,
  Unmasked,
  FragmentedControl,
  LongControl,
  LengthNotMinimal,
  LengthTooLarge,  // the most significant of 64 bits is set
  LoneContinuation,
  InterruptedMessage,
  MessageTooBig,
  InvalidUtf8,
  CloseOfOneByte,
  CloseCodeInvalid,
  BadDeflate,
};

struct FrameHead {
  Opcode opcode = Opcode::Continuation;
  bool fin = false;
  bool compressed = false;  // RSV1 (RFC 7692, section 6)
  MaskKey key{};
  std::uint64_t length = 0;
  std::size_t size = 0;  // of the head itself; 0: incomplete
};

// The frames that are allowed next.
struct FrameRules {
  bool may_compress = false;  // RSV1
  bool in_message = false;    // the next data frame must be a continuation
};

// Parses a head at the front of `bytes`. Reports a fault as early as possible, and the same one regardless of how many
// bytes have arrived.
Fault read_frame_head(std::string_view bytes, FrameRules rules, FrameHead& head) noexcept;

// The head of an unfragmented frame with a payload of `length` bytes.
void append_frame_head(std::string& out, Opcode opcode, std::uint64_t length, bool compressed = false);
void append_frame(std::string& out, Opcode opcode, std::string_view payload, bool compressed = false);

}  // namespace tern::websocket
