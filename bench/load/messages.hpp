// WebSocket messages as the load client sends and counts them (RFC 6455, section 5.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

enum class MessageKind : std::uint8_t { Text = 1, Binary = 2 };  // by their opcodes

// A message of `size` bytes in one masked frame. The payload is ASCII text for either kind.
std::string masked_message(MessageKind kind, std::size_t size);

// Counts the messages that a server sends. Checks their lengths, not their contents.
class MessageCounter {
public:
  explicit MessageCounter(MessageKind kind) noexcept : kind_(kind) {}

  // The number of messages that end in `bytes`. nullopt after anything but pings and messages of the kind and of `size`
  // bytes, whole or fragmented.
  std::optional<std::size_t> count(std::string_view bytes, std::size_t size);

private:
  enum class Begun : std::uint8_t { Good, Incomplete, Wrong };

  // Continues to parse the header of a frame.
  Begun begin_frame(std::string_view& bytes);

  MessageKind kind_;
  std::array<unsigned char, 10> head_ = {};
  std::size_t head_size_ = 0;
  std::uint64_t left_ = 0;     // of the frame's payload
  std::uint64_t message_ = 0;  // announced bytes of the message
  bool in_frame_ = false;
  bool in_message_ = false;
  bool is_control_ = false;
  bool is_last_ = false;
};

}  // namespace bench
