#include "websocket/frame.hpp"

namespace tern::websocket {
namespace {

constexpr unsigned fin_bit = 0x80;
constexpr unsigned rsv1_bit = 0x40;
constexpr unsigned other_rsv_bits = 0x30;
constexpr unsigned mask_bit = 0x80;

unsigned byte_at(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<unsigned char>(bytes[at]);
}

std::uint64_t big_endian(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

Fault read_first_byte(unsigned byte, FrameRules rules, FrameHead& head) noexcept {
  const unsigned opcode = byte & 0x0FU;
  if ((byte & other_rsv_bits) != 0) return Fault::ReservedBit;
  if ((opcode > 2 && opcode < 8) || opcode > 10) return Fault::ReservedOpcode;
  head.opcode = static_cast<Opcode>(opcode);
  head.fin = (byte & fin_bit) != 0;
  head.compressed = (byte & rsv1_bit) != 0;
  // Only the first frame of a message says that it is compressed.
  if (head.compressed && (!rules.may_compress || opcode == 0 || is_control(head.opcode))) return Fault::ReservedBit;
  if (is_control(head.opcode)) return head.fin ? Fault::None : Fault::FragmentedControl;
  if (opcode == 0) return rules.in_message ? Fault::None : Fault::LoneContinuation;
  return rules.in_message ? Fault::InterruptedMessage : Fault::None;
}

}  // namespace

Fault read_frame_head(std::string_view bytes, FrameRules rules, FrameHead& head) noexcept {
  head.size = 0;
  if (bytes.empty()) return Fault::None;
  const Fault fault = read_first_byte(byte_at(bytes, 0), rules, head);
  if (fault != Fault::None || bytes.size() < 2) return fault;
  const unsigned second = byte_at(bytes, 1);
  if ((second & mask_bit) == 0) return Fault::Unmasked;
  head.length = second & 0x7FU;
  if (is_control(head.opcode) && head.length > max_control_payload) return Fault::LongControl;
  std::size_t extended = 0;
  if (head.length >= 126) {
    extended = head.length == 126 ? 2 : 8;
    if (bytes.size() < 2 + extended) return Fault::None;
    head.length = big_endian(bytes.substr(2, extended));
    if (head.length < (extended == 2 ? 126U : 65536U)) return Fault::LengthNotMinimal;
    if (head.length >> 63U != 0) return Fault::LengthTooLarge;
  }
  if (bytes.size() < 2 + extended + head.key.size()) return Fault::None;
  for (std::size_t i = 0; i < head.key.size(); ++i) head.key[i] = bytes[2 + extended + i];
  head.size = 2 + extended + head.key.size();
  return Fault::None;
}

void append_frame_head(std::string& out, Opcode opcode, std::uint64_t length, bool compressed) {
  char head[max_head_size];
  std::size_t size = 2;
  head[0] = static_cast<char>(fin_bit | (compressed ? rsv1_bit : 0U) | static_cast<unsigned>(opcode));
  if (length < 126) {
    head[1] = static_cast<char>(length);
  } else {
    const std::size_t extended = length < 65536 ? 2 : 8;
    head[1] = static_cast<char>(extended == 2 ? 126 : 127);
    for (std::size_t i = 0; i < extended; ++i) {
      head[2 + i] = static_cast<char>(length >> (8 * (extended - 1 - i)) & 0xFFU);
    }
    size += extended;
  }
  out.append(head, size);
}

void append_frame(std::string& out, Opcode opcode, std::string_view payload, bool compressed) {
  out.reserve(out.size() + max_head_size + payload.size());  // so that bad_alloc leaves no head without a payload
  append_frame_head(out, opcode, payload.size(), compressed);
  out.append(payload);
}

}  // namespace tern::websocket
