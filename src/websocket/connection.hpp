// The server side of one WebSocket (RFC 6455), without I/O: bytes in, events out; what is to be sent is appended to a
// string of the caller's. No socket, no clock, no thread.
//
// Life of a connection, which begins behind the 101:
//   receive(bytes)        what has arrived and was not consumed yet
//   next(out) -> Message  message(): a whole message, unmasked, inflated and checked. Pings are answered on the way,
//                         into `out`
//             -> NeedMore of what was received, nothing more can be said
//             -> Deferred the budget for inflating is used up: next() goes on with the message when there is one again
//             -> Closed   the closing handshake is complete, or the peer broke a rule: what `out` has is the last;
//                         close_code() tells why
//   write(out, …)         a message
//   close(out, …)         begins the closing handshake: nothing may be written any more, and what the peer still sends
//                         is read and dropped until its close comes
#pragma once

#include "websocket/close_code.hpp"
#include "websocket/codec.hpp"
#include "websocket/frame.hpp"
#include "websocket/limits.hpp"

#include "base/lies_in.hpp"
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

// Messages that are shorter are not deflated.
inline constexpr std::size_t worth_deflating = 64;

enum class Event : std::uint8_t { NeedMore, Message, Deferred, Closed };

class Connection {
public:
  // `limits` outlives the connection. A codec where permessage-deflate was agreed upon.
  explicit Connection(const Limits& limits, std::unique_ptr<Codec> codec = nullptr) noexcept
      : limits_(&limits), codec_(std::move(codec)) {}

  // --- Reading ---

  // `bytes` is everything received and not yet consumed: the rest that the last round left over first, byte for byte,
  // then what is new. It stays where it is as long as message() is used, and what is consumed of it is unmasked in
  // place.
  void receive(std::span<char> bytes) noexcept;
  // Throws nothing but std::bad_alloc.
  Event next(std::string& out);
  // How many bytes are still to come of the payload of the frame that is being read, for take(); 0 behind our close,
  // when nobody will read them.
  std::uint64_t awaited() const noexcept { return in_frame_ && state_ == State::Open ? left_ : 0; }
  // Makes room for take(): for `least` bytes more or all that are awaited(); for all of them where a sixteenth of the
  // message has come or is `arriving`, in the memory of the string that spare(size) gives, if it has as much.
  template <class F>
  void make_room(std::size_t least, std::size_t arriving, F&& spare) {
    const std::size_t come = buffer_.size();
    const std::size_t whole = come + static_cast<std::size_t>(left_);
    const std::size_t earned = max_ahead * (come + arriving);
    if (buffer_.capacity() >= (earned < whole ? std::min(come + least, whole) : whole)) return;
    if (earned < whole) return buffer_.reserve(std::max(earned, std::min(come + least, whole)));
    // More frames may follow.
    const std::size_t size = last_frame_ ? whole : std::max(whole, 2 * buffer_.capacity());
    std::string room = spare(size);
    room.reserve(size);
    room.append(buffer_);
    buffer_ = std::move(room);
  }
  // In place of receive() and next(), while bytes are awaited() and none are left of what was received: calls
  // receive(std::span<char>), which fills it from its front, for at most `most` and what there is room for, and returns
  // how many have come. The event is as that of next().
  template <class F>
  Event take(std::string& out, std::size_t most, F&& receive) {
    const std::size_t before = buffer_.size();
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>({left_, most, buffer_.capacity() - before}));
    std::size_t count = 0;
    buffer_.resize_and_overwrite(before + size, [&](char* bytes, std::size_t) {
      count = receive(std::span(bytes + before, size));
      return before + count;
    });
    return came(out, count);
  }
  // Bounds what next() inflates from now on, in bytes that are read and written, before it says Deferred.
  void set_inflation_budget(std::size_t bytes) noexcept {
    if (codec_ != nullptr) codec_->set_budget(bytes);
  }
  // What is left of that; 0 where nothing is compressed.
  std::size_t inflation_budget() const noexcept { return codec_ != nullptr ? codec_->budget() : 0; }
  bool inflating() const noexcept { return codec_ != nullptr && codec_->inflating(); }
  // How many of receive()'s bytes need not be presented again. Of a message that came in pieces, all but the head of a
  // frame is consumed: what waits for more is short.
  std::size_t consumed() const noexcept { return at_; }

  // After Message, until next() or receive(): a view of the received bytes where the message came in one frame, or else
  // of a buffer.
  std::string_view message() const noexcept { return message_; }
  bool is_text() const noexcept { return opcode_ == Opcode::Text; }
  // How long the frame was that ended it.
  std::size_t last_frame_size() const noexcept { return offset_; }
  // Whether message() lies in the buffer.
  bool collected() const noexcept { return message_.data() == buffer_.data(); }
  // The message as a string of its own: the buffer, where it is there. message() is empty then.
  std::string take_message();

  // --- Writing ---

  // Until close() was called or next() gave Closed.
  bool may_write() const noexcept { return state_ == State::Open; }
  // One message. What is written when there is no may_write() is dropped. Text must be UTF-8.
  void write(std::string& out, Opcode opcode, std::string_view payload);
  // The head of such a message, whose payload the caller puts behind it; where may_write() and there is no codec().
  void begin(std::string& out, Opcode opcode, std::size_t size) { append_frame_head(out, opcode, size); }
  // Whether `bytes` are of what came: they lie among those that receive() was given, or in the message().
  bool came_from_peer(std::string_view bytes) const noexcept {
    return base::lies_in(bytes, {bytes_, at_}) || base::lies_in(bytes, message_);
  }
  // At most 125 bytes.
  void ping(std::string& out, std::string_view payload);
  // `code` is one that may_be_sent(); the reason is cut where it is longer than a control frame.
  void close(std::string& out, std::uint16_t code, std::string_view reason);

  // Null where messages are not deflated.
  Codec* codec() const noexcept { return codec_.get(); }

  // --- The end ---

  // close() was called, and the peer has not answered.
  bool closing() const noexcept { return state_ == State::CloseSent; }
  bool closed() const noexcept { return state_ == State::Closed; }
  // After Closed: the peer's code and reason (NoStatus where it gave none), or those that we have refused it with.
  std::uint16_t close_code() const noexcept { return code_; }
  const std::string& close_reason() const noexcept { return reason_; }
  Fault fault() const noexcept { return fault_; }

private:
  enum class State : std::uint8_t { Open, CloseSent, Closed };

  static constexpr std::size_t max_ahead = 16;  // times what has come of a message, of the room for it

  Event step(std::string& out, bool& done);
  Event take_control(std::string& out, const FrameHead& head);
  Event take_close(std::string& out, std::string_view payload);
  Event take_data(std::string& out, const FrameHead& head);
  Event take_piece(std::string& out);
  Event came(std::string& out, std::size_t size);
  bool unmask(char* bytes, std::size_t size, MaskKey key, std::size_t offset);
  Event take_whole(std::string& out, std::span<char> payload, MaskKey key);
  Event complete(std::string& out);
  void grow(std::size_t size);
  Event inflated(std::string& out, Inflated outcome);
  Event fail(std::string& out, Fault fault);
  void append_close(std::string& out, std::uint16_t code, std::string_view reason) const;
  std::size_t most() const noexcept;

  const Limits* limits_;
  std::unique_ptr<Codec> codec_;
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;    // of the payload of the frame that is being read
  std::size_t offset_ = 0;    // how much of it was read; behind a message, all
  std::string buffer_;        // what has come of a message in pieces, or was inflated
  std::string_view message_;  // after Message
  std::string reason_;
  base::Utf8Checker utf8_;
  MaskKey key_{};
  std::uint16_t code_ = Abnormal;
  Opcode opcode_ = Opcode::Continuation;  // of the message
  State state_ = State::Open;
  Fault fault_ = Fault::None;
  bool in_message_ : 1 = false;  // between its first frame and its last
  bool in_frame_ : 1 = false;    // left_ bytes of the frame's payload are to come
  bool last_frame_ : 1 = false;  // the frame that is being read ends the message
  bool compressed_ : 1 = false;  // the message
};

// An open WebSocket costs this, and what of a message is there.
static_assert(sizeof(void*) != 8 || sizeof(Connection) <= 176);

}  // namespace tern::websocket
