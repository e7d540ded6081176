// WebSocket messages as the load client sends and counts them (RFC 6455, section 5.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

// A text of `size` bytes in one masked frame.
std::string masked_text(std::size_t size);

// Counts the texts in what a server sends. Their contents are not looked at, but for their lengths.
class TextCounter {
public:
  // How many ended in `bytes`; nothing where something else came than texts of `size` bytes, whole or in fragments, and
  // pings.
  std::optional<std::size_t> count(std::string_view bytes, std::size_t size);

private:
  enum class Begun : std::uint8_t { Good, Incomplete, Wrong };

  // Reads on in the head of a frame.
  Begun begin_frame(std::string_view& bytes);

  std::array<unsigned char, 10> head_ = {};
  std::size_t head_size_ = 0;
  std::uint64_t left_ = 0;     // of the frame's payload
  std::uint64_t message_ = 0;  // bytes of the message that have been announced
  bool in_frame_ = false;
  bool in_message_ = false;
  bool is_control_ = false;
  bool is_last_ = false;
};

}  // namespace bench
