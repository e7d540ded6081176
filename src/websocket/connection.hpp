// The server side of one WebSocket (RFC 6455) without I/O: bytes in, events out. Output is appended to the caller's
// string. No socket, clock or thread.
//
// Life of a connection, which begins after the 101:
//   receive(bytes)        received bytes that were not consumed yet
//   next(out) -> Message  message(): a complete message, unmasked, inflated and validated. Pings are answered in
//   between,
//                         into `out`
//             -> NeedMore all received bytes are processed
//             -> Deferred the budget for inflating is used up: next() continues with the message when there is one
//             again
//             -> Closed   the closing handshake is complete, or the peer violated the protocol: `out` has the last
//             bytes;
//                         see close_code()
//   write(out, …)         a message
//   close(out, …)         begins the closing handshake: nothing may be written any more, and further messages are
//                         discarded until the peer's close frame arrives
#pragma once

#include "websocket/close_code.hpp"
#include "websocket/codec.hpp"
#include "websocket/frame.hpp"
#include "websocket/limits.hpp"

#include "base/is_within.hpp"
#include "base/utf8_checker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tern::websocket {

// Shorter messages are sent uncompressed.
inline constexpr std::size_t min_deflate_size = 64;

enum class Event : std::uint8_t { NeedMore, Message, Deferred, Closed };

class Connection {
public:
  // `limits` outlives the connection. `codec` is set if permessage-deflate was negotiated.
  explicit Connection(const Limits& limits, std::unique_ptr<Codec> codec = nullptr) noexcept
      : limits_(&limits), codec_(std::move(codec)) {}

  // --- Reading ---

  // `bytes` are all received bytes that were not consumed: first the unconsumed rest of the last call, unchanged, then
  // the new ones. They must stay valid while message() is used, and are unmasked in place when consumed.
  void receive(std::span<char> bytes) noexcept;
  // Throws only std::bad_alloc.
  Event next(std::string& out);
  // Bytes of the current frame's payload that are still to be received, for read_into(); 0 after the server's close
  // frame, when payload is discarded.
  std::uint64_t remaining_payload() const noexcept { return in_frame_ && state_ == State::Open ? left_ : 0; }
  // Reserves space for read_into(): at least for `min_size` bytes or the rest of the payload; for all of it once a
  // sixteenth of the message has arrived or is `arriving`. In that case it uses the memory of the string that
  // spare(size) returns, if it is large enough.
  template <class F>
  void reserve_payload(std::size_t min_size, std::size_t arriving, F&& spare) {
    const std::size_t come = buffer_.size();
    const std::size_t whole = come + static_cast<std::size_t>(left_);
    const std::size_t earned = max_ahead * (come + arriving);
    if (buffer_.capacity() >= (earned < whole ? std::min(come + min_size, whole) : whole)) return;
    if (earned < whole) return buffer_.reserve(std::max(earned, std::min(come + min_size, whole)));
    // More frames may follow.
    const std::size_t size = last_frame_ ? whole : std::max(whole, 2 * buffer_.capacity());
    std::string room = spare(size);
    room.reserve(size);
    room.append(buffer_);
    buffer_ = std::move(room);
  }
  // Replaces receive() and next() while there is remaining_payload() and no unconsumed input. Calls
  // receive(std::span<char>) once with at most `max_size` bytes of reserved space; it fills the span from the front and
  // returns the number of bytes. Returns the event as next() does.
  template <class F>
  Event read_into(std::string& out, std::size_t max_size, F&& receive) {
    const std::size_t before = buffer_.size();
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>({left_, max_size, buffer_.capacity() - before}));
    std::size_t count = 0;
    buffer_.resize_and_overwrite(before + size, [&](char* bytes, std::size_t) {
      count = receive(std::span(bytes + before, size));
      return before + count;
    });
    return on_payload(out, count);
  }
  // Sets the number of bytes that next() may read and write for inflating before it returns Deferred.
  void set_inflation_budget(std::size_t bytes) noexcept {
    if (codec_ != nullptr) codec_->set_budget(bytes);
  }
  // The rest of that budget; 0 without compression.
  std::size_t inflation_budget() const noexcept { return codec_ != nullptr ? codec_->budget() : 0; }
  bool inflating() const noexcept { return codec_ != nullptr && codec_->inflating(); }
  // The number of receive()'s bytes that need not be presented again. Of a fragmented or incomplete message everything
  // is consumed except an incomplete frame head.
  std::size_t consumed() const noexcept { return at_; }

  // After Message, until next() or receive(): a view into the received bytes if the message was one complete frame,
  // otherwise into a buffer.
  std::string_view message() const noexcept { return message_; }
  bool is_text() const noexcept { return opcode_ == Opcode::Text; }
  // The payload size of the message's last frame.
  std::size_t last_frame_size() const noexcept { return offset_; }
  // Whether message() is in the buffer.
  bool is_buffered() const noexcept { return message_.data() == buffer_.data(); }
  // Moves the message out; copies it if it is not in the buffer. message() is empty afterwards.
  std::string take_message();

  // --- Writing ---

  // Until close() is called or next() returns Closed.
  bool may_write() const noexcept { return state_ == State::Open; }
  // Writes a message. Discarded unless may_write(). Text must be UTF-8.
  void write(std::string& out, Opcode opcode, std::string_view payload);
  // Writes the head of a message; the caller appends the payload. Only if may_write() and without a codec().
  void begin(std::string& out, Opcode opcode, std::size_t size) { append_frame_head(out, opcode, size); }
  // Whether `bytes` are a view into received bytes: of receive()'s input, or of message().
  bool is_received_data(std::string_view bytes) const noexcept {
    return base::is_within(bytes, {bytes_, at_}) || base::is_within(bytes, message_);
  }
  // At most 125 bytes.
  void ping(std::string& out, std::string_view payload);
  // `code` satisfies may_be_sent(). The reason is truncated to the size of a control frame.
  void close(std::string& out, std::uint16_t code, std::string_view reason);

  // Null without permessage-deflate.
  Codec* codec() const noexcept { return codec_.get(); }

  // --- The end ---

  // close() was called, and the peer's close frame has not arrived.
  bool closing() const noexcept { return state_ == State::CloseSent; }
  bool closed() const noexcept { return state_ == State::Closed; }
  // After Closed: the peer's code and reason (NoStatus if there was none), or those that the server sent because of a
  // fault.
  std::uint16_t close_code() const noexcept { return code_; }
  const std::string& close_reason() const noexcept { return reason_; }
  Fault fault() const noexcept { return fault_; }

private:
  enum class State : std::uint8_t { Open, CloseSent, Closed };

  static constexpr std::size_t max_ahead = 16;  // maximum reserved space, as a multiple of the received bytes

  Event step(std::string& out, bool& done);
  Event handle_control(std::string& out, const FrameHead& head);
  Event handle_close(std::string& out, std::string_view payload);
  Event begin_data_frame(std::string& out, const FrameHead& head);
  Event append_payload(std::string& out);
  Event on_payload(std::string& out, std::size_t size);
  bool unmask(char* bytes, std::size_t size, MaskKey key, std::size_t offset);
  Event handle_unfragmented(std::string& out, std::span<char> payload, MaskKey key);
  Event complete(std::string& out);
  void grow(std::size_t size);
  Event on_inflated(std::string& out, InflateResult outcome);
  Event fail(std::string& out, Fault fault);
  void append_close(std::string& out, std::uint16_t code, std::string_view reason) const;
  std::size_t max_message_bytes() const noexcept;

  const Limits* limits_;
  std::unique_ptr<Codec> codec_;
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;    // remaining payload of the current frame
  std::size_t offset_ = 0;    // bytes of it that were processed; after a message, its size
  std::string buffer_;        // received fragments, or the inflated message
  std::string_view message_;  // after Message
  std::string reason_;
  base::Utf8Checker utf8_;
  MaskKey key_{};
  std::uint16_t code_ = Abnormal;
  Opcode opcode_ = Opcode::Continuation;  // of the current message
  State state_ = State::Open;
  Fault fault_ = Fault::None;
  bool in_message_ : 1 = false;  // between the first and the last frame of a message
  bool in_frame_ : 1 = false;    // left_ bytes of payload are to come
  bool last_frame_ : 1 = false;  // the current frame is the last of the message
  bool compressed_ : 1 = false;  // of the current message
};

// The memory of an idle WebSocket.
static_assert(sizeof(void*) != 8 || sizeof(Connection) <= 176);

}  // namespace tern::websocket
