#include "messages.hpp"

#include <algorithm>

namespace bench {
namespace {

constexpr unsigned char final_bit = 0x80;
constexpr unsigned char ping = 9;

std::uint64_t big_endian(const unsigned char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

std::string masked_message(MessageKind kind, std::size_t size) {
  constexpr std::array<unsigned char, 4> mask = {0x37, 0xfa, 0x21, 0x3d};
  constexpr int is_masked = 0x80;
  std::string frame(1, static_cast<char>(final_bit | static_cast<unsigned char>(kind)));
  const int length_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  frame += static_cast<char>(is_masked | (length_bytes == 0 ? static_cast<int>(size) : length_bytes == 2 ? 126 : 127));
  for (int i = length_bytes - 1; i >= 0; --i) frame += static_cast<char>(size >> (8 * i));
  for (const unsigned char byte : mask) frame += static_cast<char>(byte);
  for (std::size_t i = 0; i < size; ++i) frame += static_cast<char>(('a' + i % 26) ^ mask[i % 4]);
  return frame;
}

MessageCounter::Begun MessageCounter::begin_frame(std::string_view& bytes) {
  const auto need = [this](std::size_t count, std::string_view& from) {
    const std::size_t taken = std::min(count - std::min(count, head_size_), from.size());
    std::copy_n(from.begin(), taken, head_.begin() + static_cast<std::ptrdiff_t>(head_size_));
    head_size_ += taken;
    from.remove_prefix(taken);
    return head_size_ >= count;
  };
  if (!need(2, bytes)) return Begun::Incomplete;
  const unsigned short_length = head_[1];  // a server does not mask, so the highest bit is clear
  const std::size_t more = short_length == 126 ? 2 : short_length == 127 ? 8 : 0;
  if (!need(2 + more, bytes)) return Begun::Incomplete;
  const unsigned code = head_[0] & 0x7f;  // with the reserved bits, which are to be zero
  is_control_ = code == ping;
  if (short_length > 127 || (!is_control_ && code != (in_message_ ? 0U : static_cast<unsigned>(kind_))))
    return Begun::Wrong;
  left_ = more == 0 ? short_length : big_endian(head_.data() + 2, more);
  head_size_ = 0;
  in_frame_ = true;
  if (is_control_) return Begun::Good;
  in_message_ = true;
  message_ += left_;
  is_last_ = (head_[0] & final_bit) != 0;
  return Begun::Good;
}

std::optional<std::size_t> MessageCounter::count(std::string_view bytes, std::size_t size) {
  std::size_t ended = 0;
  while (true) {
    if (!in_frame_) {
      if (bytes.empty()) return ended;
      const Begun begun = begin_frame(bytes);
      if (begun == Begun::Wrong) return std::nullopt;
      if (begun == Begun::Incomplete) return ended;
    }
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    bytes.remove_prefix(taken);
    left_ -= taken;
    if (left_ > 0) return ended;
    in_frame_ = false;
    if (is_control_ || !is_last_) continue;
    if (message_ != size) return std::nullopt;
    ++ended;
    message_ = 0;
    in_message_ = false;
  }
}

}  // namespace bench
