// Finding where lines end.
//
// A line of a head, of a chunk's size or of a trailer section ends in CRLF and holds no other control byte but HTAB
// (RFC 9110, section 5.5; RFC 9112, section 2.2). So the first control byte found is either the end of the line or a
// fault.
#pragma once

#include "http1/fault.hpp"
#include "http1/masks.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::http1 {

constexpr bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

// A set of bytes, made at compile time.
struct ByteSet {
  std::array<bool, 256> in{};

  template <class Predicate>
  explicit consteval ByteSet(Predicate predicate) {
    for (unsigned byte = 0; byte < 256; ++byte) in[byte] = predicate(static_cast<char>(byte));
  }
  constexpr bool operator[](char c) const noexcept { return in[static_cast<unsigned char>(c)]; }
};

inline constexpr ByteSet token_bytes([](char c) { return base::is_token_char(c); });

// What of `text` from `from` on is token characters ends here.
inline std::size_t token_end(std::string_view text, std::size_t from = 0) noexcept {
  while (from < text.size() && token_bytes[text[from]]) ++from;
  return from;
}

// Takes lines off a text that may end anywhere, and remembers how far it looked. Behind the text, `padding` bytes can
// be read, whatever they are.
class LineScanner {
public:
  enum class Found : std::uint8_t { Line, More, Fault };

  // `start` is where the line begins, `scanned` up to where an earlier scan of the same text has looked.
  LineScanner(std::string_view bytes, std::size_t start, std::size_t scanned) noexcept
      : bytes_(bytes), start_(start), scanned_(scanned) {}

  // The next line, without its CRLF, into text(). A line of more than `limit` bytes is `too_long`, known as soon as
  // that many have arrived: whatever the splits, the outcome is the same.
  Found next(std::size_t limit, Fault too_long) noexcept {
    const char* const base = bytes_.data();
    const std::size_t room = bytes_.size() - start_;
    const std::size_t until = limit < room ? start_ + limit + 1 : bytes_.size();
    const std::size_t at = find_control(scanned_, until);
    if (at == until) {
      if (until - start_ > limit) return fail(too_long);
      scanned_ = at;
      return Found::More;
    }
    if (base[at] != '\r') return fail(base[at] == '\n' ? Fault::BareLf : Fault::ControlByte);
    if (at + 1 == bytes_.size()) {
      scanned_ = at;
      return Found::More;
    }
    if (base[at + 1] != '\n') return fail(Fault::BareCr);
    text_ = bytes_.substr(start_, at - start_);
    start_ = scanned_ = at + 2;
    return Found::Line;
  }

  std::string_view text() const noexcept { return text_; }
  std::size_t start() const noexcept { return start_; }      // where the next line begins
  std::size_t scanned() const noexcept { return scanned_; }  // where the next scan goes on
  Fault fault() const noexcept { return fault_; }

  // Where the token ends that text() begins with.
  std::size_t token_end() const noexcept {
    const auto begin = static_cast<std::size_t>(text_.data() - bytes_.data());
    if (begin < seen_begin_ || begin >= seen_end_) return http1::token_end(text_);
    const std::size_t block = (begin - seen_begin_) / mask_width;
    const std::size_t in_block = (begin - seen_begin_) % mask_width;
    const bool last = (block + 1) * mask_width == seen_end_ - seen_begin_;
    const std::uint64_t next = last ? 0 : masks_[block + 1].not_token;
    const std::uint64_t ends = masks_[block].not_token >> in_block | next << 1U << (mask_width - 1 - in_block);
    return ends != 0 ? static_cast<std::size_t>(std::countr_zero(ends)) : http1::token_end(text_);
  }

  // For whoever finds a fault in the line.
  Found fail(Fault fault) noexcept {
    fault_ = fault;
    return Found::Fault;
  }

private:
  static constexpr std::size_t most_blocks = 4;

  // The first control byte but HTAB from `from` on, or `until`.
  std::size_t find_control(std::size_t from, std::size_t until) noexcept {
    while (from < until) {
      if (from >= seen_end_) look(from);
      const std::size_t in_block = (from - seen_begin_) % mask_width;
      const std::uint64_t found = masks_[(from - seen_begin_) / mask_width].control >> in_block;
      if (found != 0) return std::min(from + static_cast<std::size_t>(std::countr_zero(found)), until);
      from += mask_width - in_block;
    }
    return until;
  }

  // Makes the masks of what is around `from`; of the line's beginning too, for the token there, when that is near.
  void look(std::size_t from) noexcept {
    seen_begin_ = from - start_ < mask_width ? start_ : from;
    const std::size_t rest = bytes_.size() - seen_begin_;
    const std::size_t blocks = std::min((rest + mask_width - 1) / mask_width, most_blocks);
    classify(bytes_.data() + seen_begin_, blocks, masks_.data());
    seen_end_ = seen_begin_ + blocks * mask_width;
    if (rest < blocks * mask_width) masks_[blocks - 1].control &= ~(~std::uint64_t{0} << rest % mask_width);
  }

  std::string_view bytes_;
  std::string_view text_;
  std::size_t start_;
  std::size_t scanned_;
  std::size_t seen_begin_ = 0;  // of the bytes whose masks are here
  std::size_t seen_end_ = 0;
  std::array<Masks, most_blocks> masks_;
  Fault fault_ = Fault::None;
};

}  // namespace tern::http1
