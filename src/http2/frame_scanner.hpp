// Finds frames that nghttp2 does not validate, because their stream is closed, or because they concern the priorities
// of RFC 7540, section 5.3, which are deprecated (RFC 9218 replaces them).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tern::http2 {

// Follows the received bytes frame by frame (RFC 9113, section 4.1) without storing them.
class FrameScanner {
public:
  enum class Found : std::uint8_t {
    Nothing,       // all bytes are scanned
    Reset,         // after an RST_STREAM: later frames may concern a closed stream
    Protocol,      // PRIORITY for stream 0, or of a stream that depends on itself (RFC 7540, section 5.3.1), or
                   // WINDOW_UPDATE by 0 (RFC 9113, section 6.9)
    StreamClosed,  // DATA for a closed stream (section 5.1)
    Block,         // between the head and the payload of HEADERS or CONTINUATION: see payload() and skip_payload()
  };
  static constexpr std::size_t head = 9;  // bytes

  // Scans `bytes` until something is found, and removes the scanned ones. `is_over(id)` reports whether a stream is
  // closed.
  template <class IsOver>
  Found scan(std::string_view& bytes, const IsOver& is_over) {
    while (!bytes.empty()) {
      const std::size_t wanted = skip_ != 0 ? skip_ : wanted_ - have_;
      const std::size_t size = std::min(wanted, bytes.size());
      if (skip_ != 0) {
        skip_ -= static_cast<std::uint32_t>(size);
      } else {
        std::copy_n(bytes.data(), size, kept_.data() + have_);
        have_ += size;
      }
      bytes.remove_prefix(size);
      if (skip_ != 0 || have_ != wanted_) continue;
      if (const Found found = complete(is_over); found != Found::Nothing) return found;
    }
    return Found::Nothing;
  }

  // After Block: the size of the payload, and whether it is exactly one header block.
  std::uint32_t payload() const noexcept { return skip_; }
  bool is_whole_block() const noexcept {
    return kept_[3] == Headers && (static_cast<unsigned char>(kept_[4]) & ~unsigned{end_stream}) == end_headers;
  }
  bool ends_stream() const noexcept { return (static_cast<unsigned char>(kept_[4]) & end_stream) != 0; }
  // The caller consumes the payload itself.
  void skip_payload() noexcept { skip_ = 0; }
  // The head of the frame for a payload of `size` bytes.
  std::array<char, head> head_with(std::uint32_t size) const noexcept {
    std::array<char, head> copy;
    std::copy_n(kept_.begin(), head, copy.begin());
    for (std::size_t i = 0; i < 3; ++i) copy[i] = static_cast<char>(size >> (16 - 8 * i));
    return copy;
  }

private:
  static constexpr std::size_t preface = 24;
  static constexpr unsigned char end_stream = 0x1;
  static constexpr unsigned char end_headers = 0x4;
  enum Type : std::uint8_t { Data = 0, Headers = 1, Priority = 2, RstStream = 3, WindowUpdate = 8, Continuation = 9 };

  // The head of a frame is complete, or the head and a payload that needs validation.
  template <class IsOver>
  Found complete(const IsOver& is_over) {
    const std::uint32_t length = number(0, 3);
    const std::uint32_t type = number(3, 1);
    const std::uint32_t stream = id(5);
    const bool matters =
        (type == Priority && length == 5) || ((type == WindowUpdate || type == RstStream) && length == 4);
    if (matters && wanted_ == head) {
      wanted_ += length;
      return Found::Nothing;
    }
    have_ = 0;
    if (std::exchange(wanted_, head) == head) {
      skip_ = length;
      if (type == Headers || type == Continuation) return Found::Block;
      return type == Data && is_over(static_cast<std::int32_t>(stream)) ? Found::StreamClosed : Found::Nothing;
    }
    if (type == RstStream) return Found::Reset;
    const bool good = type == Priority ? stream != 0 && stream != id(head) : id(head) != 0;
    return good ? Found::Nothing : Found::Protocol;
  }

  std::uint32_t number(std::size_t at, std::size_t size) const noexcept {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + size; ++i) value = value << 8U | static_cast<unsigned char>(kept_[i]);
    return value;
  }
  // 31 bits.
  std::uint32_t id(std::size_t at) const noexcept { return number(at, 4) & 0x7fffffffU; }

  std::array<char, head + 5> kept_{};
  std::size_t have_ = 0;
  std::size_t wanted_ = head;
  std::uint32_t skip_ = preface;
};

}  // namespace tern::http2
