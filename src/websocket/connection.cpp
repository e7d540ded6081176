#include "websocket/connection.hpp"

#include <tern/base/expects.hpp>
#include <tern/base/utf8.hpp>

#include <algorithm>
#include <utility>

namespace tern::websocket {
namespace {

constexpr std::size_t max_idle_buffer = 4096;  // bytes that a connection keeps between messages
constexpr std::size_t max_reason = max_control_payload - 2;

std::uint16_t code_of(Fault fault) noexcept {
  switch (fault) {
    case Fault::MessageTooBig: return MessageTooBig;
    case Fault::InvalidUtf8:
    case Fault::BadDeflate: return InvalidPayload;
    default: return ProtocolError;
  }
}

std::string_view reason_of(Fault fault) noexcept {
  switch (fault) {
    case Fault::None: break;
    case Fault::ReservedBit: return "a reserved bit is set";
    case Fault::ReservedOpcode: return "reserved opcode";
    case Fault::Unmasked: return "unmasked frame";
    case Fault::FragmentedControl: return "fragmented control frame";
    case Fault::LongControl: return "control frame with more than 125 bytes";
    case Fault::LengthNotMinimal: return "length not in its shortest form";
    case Fault::LengthTooLarge: return "length with the highest bit set";
    case Fault::LoneContinuation: return "continuation of nothing";
    case Fault::InterruptedMessage: return "new message before the end of the last";
    case Fault::MessageTooBig: return "message too big";
    case Fault::InvalidUtf8: return "text that is not UTF-8";
    case Fault::CloseOfOneByte: return "close frame of one byte";
    case Fault::CloseCodeInvalid: return "invalid close code";
    case Fault::BadDeflate: return "malformed compressed message";
  }
  return {};
}

}  // namespace

void Connection::receive(std::span<char> bytes) noexcept {
  bytes_ = bytes.data();
  size_ = bytes.size();
  at_ = 0;
}

Event Connection::next(std::string& out) {
  if (!in_message_ && !inflating() && !buffer_.empty()) {  // of the previous message
    if (buffer_.capacity() > max_idle_buffer) {
      std::string().swap(buffer_);  // assigning an empty one keeps the memory
    } else {
      buffer_.clear();
    }
  }
  message_ = {};
  for (bool done = false;;) {
    const Event event = step(out, done);
    if (event != Event::NeedMore || done) return event;
  }
}

// NeedMore without `done`: a frame was processed, and more may follow.
Event Connection::step(std::string& out, bool& done) {
  done = true;
  if (state_ == State::Closed) return Event::NeedMore;
  if (inflating()) return on_inflated(out, codec_->resume(buffer_, limits_->message));
  if (!in_frame_) {
    const std::string_view rest(bytes_ + at_, size_ - at_);
    FrameHead head;
    const Fault fault = read_frame_head(rest, {codec_ != nullptr, in_message_}, head);
    if (fault != Fault::None) return fail(out, fault);
    if (head.size == 0) return Event::NeedMore;
    if (is_control(head.opcode)) {
      if (rest.size() < head.size + head.length) return Event::NeedMore;
      done = false;
      return handle_control(out, head);
    }
    at_ += head.size;
    done = false;
    return begin_data_frame(out, head);
  }
  if (at_ == size_) return Event::NeedMore;
  done = false;
  return append_payload(out);
}

Event Connection::handle_control(std::string& out, const FrameHead& head) {
  char* const bytes = bytes_ + at_ + head.size;
  const auto size = static_cast<std::size_t>(head.length);
  apply_mask(bytes, size, head.key);
  at_ += head.size + size;
  const std::string_view payload(bytes, size);
  if (head.opcode == Opcode::Close) return handle_close(out, payload);
  if (head.opcode == Opcode::Ping && may_write()) append_frame(out, Opcode::Pong, payload);
  return Event::NeedMore;
}

// RFC 6455, section 5.5.1: echoes the received code.
Event Connection::handle_close(std::string& out, std::string_view payload) {
  if (payload.size() == 1) return fail(out, Fault::CloseOfOneByte);
  code_ = NoStatus;
  if (!payload.empty()) {
    const auto high = static_cast<unsigned char>(payload[0]);
    const auto low = static_cast<unsigned char>(payload[1]);
    const auto code = static_cast<std::uint16_t>(unsigned{high} << 8U | low);
    if (!may_be_sent(code)) return fail(out, Fault::CloseCodeInvalid);
    const std::string_view reason = payload.substr(2);
    if (!base::is_utf8(reason)) return fail(out, Fault::InvalidUtf8);
    code_ = code;
    reason_ = reason;
  }
  if (state_ == State::Open) append_close(out, code_, {});
  state_ = State::Closed;
  return Event::Closed;
}

// Maximum size of a message before it is inflated: incompressible data grows slightly.
std::size_t Connection::max_message_bytes() const noexcept {
  const std::size_t more = compressed_ ? limits_->message / 1024 + 64 : 0;
  return limits_->message + std::min(more, static_cast<std::size_t>(-1) - limits_->message);
}

Event Connection::begin_data_frame(std::string& out, const FrameHead& head) {
  if (!in_message_) {
    opcode_ = head.opcode;
    compressed_ = head.compressed;
    utf8_.reset();
  }
  if (head.length > max_message_bytes() - std::min(max_message_bytes(), buffer_.size()))
    return fail(out, Fault::MessageTooBig);
  if (!in_message_ && head.fin && size_ - at_ >= head.length) {
    const std::span payload(bytes_ + at_, static_cast<std::size_t>(head.length));
    at_ += payload.size();
    return handle_unfragmented(out, payload, head.key);
  }
  in_message_ = true;
  last_frame_ = head.fin;
  key_ = head.key;
  left_ = head.length;
  offset_ = 0;
  in_frame_ = true;
  return left_ == 0 || at_ != size_ ? append_payload(out) : Event::NeedMore;
}

// A complete message in one frame: no copy.
Event Connection::handle_unfragmented(std::string& out, std::span<char> payload, MaskKey key) {
  if (state_ != State::Open) return Event::NeedMore;
  offset_ = payload.size();
  if (!unmask(payload.data(), payload.size(), key, 0)) return fail(out, Fault::InvalidUtf8);
  const std::string_view whole(payload.data(), payload.size());
  if (compressed_) return on_inflated(out, codec_->inflate(whole, buffer_, limits_->message));
  if (!utf8_.complete()) return fail(out, Fault::InvalidUtf8);
  message_ = whole;
  return Event::Message;
}

Event Connection::append_payload(std::string& out) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(size_ - at_, left_));
  if (state_ == State::Open) {
    grow(size);
    buffer_.append(bytes_ + at_, size);
  }
  at_ += size;
  return on_payload(out, size);
}

// Processes the last `size` bytes of the buffer, which are payload of the frame.
Event Connection::on_payload(std::string& out, std::size_t size) {
  const bool open = state_ == State::Open;
  if (open && !unmask(buffer_.data() + (buffer_.size() - size), size, key_, offset_)) {
    return fail(out, Fault::InvalidUtf8);
  }
  offset_ += size;
  left_ -= size;
  if (left_ != 0) return Event::NeedMore;
  in_frame_ = false;
  if (!last_frame_) return Event::NeedMore;
  in_message_ = false;
  return open ? complete(out) : Event::NeedMore;
}

// Whether text is valid UTF-8 so far. Validates a few KiB right after unmasking, while they are in the first-level
// cache.
bool Connection::unmask(char* bytes, std::size_t size, MaskKey key, std::size_t offset) {
  constexpr std::size_t piece_size = 8 * 1024;
  const bool checks = is_text() && !compressed_;
  for (std::size_t from = 0; from < size; from += piece_size) {
    const std::size_t count = std::min(piece_size, size - from);
    apply_mask(bytes + from, count, key, offset + from);
    if (checks && !utf8_.feed({bytes + from, count})) return false;
  }
  return true;
}

// Reserves for the rest of the frame, but for no more than sixteen times the received bytes.
void Connection::grow(std::size_t size) {
  const std::size_t come = buffer_.size() + size;
  const std::uint64_t rest = left_ - size;
  if (rest == 0 || come <= buffer_.capacity()) return;
  buffer_.reserve(come + static_cast<std::size_t>(std::min<std::uint64_t>(rest, max_ahead * come)));
}

Event Connection::complete(std::string& out) {
  if (compressed_) {
    const std::string whole = std::exchange(buffer_, {});
    return on_inflated(out, codec_->inflate(whole, buffer_, limits_->message));
  }
  if (is_text() && !utf8_.complete()) return fail(out, Fault::InvalidUtf8);
  message_ = buffer_;
  return Event::Message;
}

Event Connection::on_inflated(std::string& out, InflateResult outcome) {
  switch (outcome) {
    case InflateResult::Done: break;
    case InflateResult::More: return Event::Deferred;
    case InflateResult::Malformed: return fail(out, Fault::BadDeflate);
    case InflateResult::TooLarge: return fail(out, Fault::MessageTooBig);
  }
  if (is_text() && !base::is_utf8(buffer_)) return fail(out, Fault::InvalidUtf8);
  message_ = buffer_;
  return Event::Message;
}

std::string Connection::take_message() {
  std::string message = is_buffered() ? std::exchange(buffer_, {}) : std::string(message_);
  message_ = {};
  return message;
}

// RFC 6455, section 7.1.7: sends a close frame with the reason, unless one was sent.
Event Connection::fail(std::string& out, Fault fault) {
  fault_ = fault;
  code_ = code_of(fault);
  reason_ = reason_of(fault);
  if (state_ == State::Open) append_close(out, code_, reason_);
  state_ = State::Closed;
  in_message_ = false;
  buffer_ = std::string();
  if (inflating()) codec_->abandon();
  return Event::Closed;
}

void Connection::write(std::string& out, Opcode opcode, std::string_view payload) {
  if (!may_write()) return;
  if (codec_ == nullptr || payload.size() < min_deflate_size) return append_frame(out, opcode, payload);
  std::string compressed;
  codec_->deflate(payload, compressed);
  append_frame(out, opcode, compressed, true);
}

void Connection::ping(std::string& out, std::string_view payload) {
  base::expects(payload.size() <= max_control_payload, "a ping has at most 125 bytes");
  if (may_write()) append_frame(out, Opcode::Ping, payload);
}

void Connection::close(std::string& out, std::uint16_t code, std::string_view reason) {
  base::expects(may_be_sent(code), "a close code that may be sent");
  if (!may_write()) return;
  append_close(out, code, reason);
  state_ = State::CloseSent;
  if (!in_message_ && !inflating()) return;
  if (inflating()) codec_->abandon();
  buffer_ = std::string();  // never delivered
}

void Connection::append_close(std::string& out, std::uint16_t code, std::string_view reason) const {
  if (code == NoStatus) return append_frame(out, Opcode::Close, {});
  std::size_t size = std::min(reason.size(), max_reason);
  while (size != 0 && size != reason.size() && (static_cast<unsigned char>(reason[size]) & 0xC0U) == 0x80U) --size;
  append_frame_head(out, Opcode::Close, size + 2);
  out.push_back(static_cast<char>(code >> 8U));
  out.push_back(static_cast<char>(code & 0xFFU));
  out.append(reason.substr(0, size));
}

}  // namespace tern::websocket
