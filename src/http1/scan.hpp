// Finding where lines end.
//
// A line of a head, of a chunk's size or of a trailer section ends in CRLF and holds no other control byte but HTAB
// (RFC 9110, section 5.5; RFC 9112, section 2.2). So the first control byte found is either the end of the line or a
// fault.
#pragma once

#include "base/byte_set.hpp"
#include "http1/fault.hpp"
#include "http1/masks.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::http1 {

constexpr bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

inline constexpr base::ByteSet token_bytes([](char c) { return base::is_token_char(c); });

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
      : base_(bytes.data()), size_(bytes.size()), start_(start), scanned_(scanned) {}

  // The next line, without its CRLF, into text(). A line of more than `limit` bytes is `too_long`, known as soon as
  // that many have arrived: whatever the splits, the outcome is the same.
  Found next(std::size_t limit, Fault too_long) noexcept {
    while (control_ == 0) {
      if (!advance()) return size_ - start_ > limit ? fail(too_long) : more(size_);
    }
    const std::size_t at = block_ + static_cast<std::size_t>(std::countr_zero(control_));
    if (at - start_ > limit) return fail(too_long);
    if (base_[at] != '\r' || base_[at + 1] != '\n' || at + 1 == size_) return no_line_end(at);
    line_ = start_;
    length_ = at - start_;
    start_ = scanned_ = at + 2;
    // CR, and LF, which may be the first of the next block: advance() passes over it then.
    control_ &= control_ - 1;
    if (start_ <= block_ + mask_width) control_ &= control_ - 1;
    return Found::Line;
  }

  std::string_view text() const noexcept { return {base_ + line_, length_}; }
  std::size_t start() const noexcept { return start_; }      // where the next line begins
  std::size_t scanned() const noexcept { return scanned_; }  // where the next scan goes on
  Fault fault() const noexcept { return fault_; }

  // Where the token ends that text() begins with.
  std::size_t token_end() const noexcept {
    if (line_ < seen_begin_ || line_ >= seen_end_) return http1::token_end(text());
    const std::size_t block = (line_ - seen_begin_) / mask_width;
    const std::size_t in_block = (line_ - seen_begin_) % mask_width;
    const bool last = (block + 1) * mask_width == seen_end_ - seen_begin_;
    const std::uint64_t next = last ? 0 : masks_[block + 1].not_token;
    const std::uint64_t ends = masks_[block].not_token >> in_block | next << 1U << (mask_width - 1 - in_block);
    return ends != 0 ? static_cast<std::size_t>(std::countr_zero(ends)) : http1::token_end(text());
  }

  // For whoever finds a fault in the line.
  Found fail(Fault fault) noexcept {
    fault_ = fault;
    return Found::Fault;
  }

private:
  static constexpr std::size_t first_blocks = 2;  // most heads of requests that follow each other fit
  static constexpr std::size_t max_blocks = 4;

  Found more(std::size_t scanned) noexcept {
    scanned_ = scanned;
    return Found::More;
  }

  // What the control byte at `at` is, when no line ends there.
  [[gnu::noinline]] Found no_line_end(std::size_t at) noexcept {
    if (base_[at] == '\r' && at + 1 == size_) return more(at);
    if (base_[at] == '\r') return fail(Fault::BareCr);
    return fail(base_[at] == '\n' ? Fault::BareLf : Fault::ControlByte);
  }

  // Goes on to the next block. False when there is none.
  bool advance() noexcept {
    std::size_t block = block_ + mask_width;
    if (seen_end_ == 0 || block >= seen_end_) {
      const std::size_t from = std::max(seen_end_, scanned_);
      if (from >= size_) return false;
      look(from);
      block = seen_begin_;
    }
    block_ = block;
    control_ = masks_[(block - seen_begin_) / mask_width].control;
    if (block_ >= scanned_) return true;
    const std::size_t known = scanned_ - block_;
    control_ = known < mask_width ? control_ & ~std::uint64_t{0} << known : 0;
    return true;
  }

  // Makes the masks of what is around `from`; of the line's beginning too, for the token there, when that is near.
  void look(std::size_t from) noexcept {
    const std::size_t most = seen_end_ == 0 ? first_blocks : max_blocks;
    seen_begin_ = from - start_ < mask_width ? start_ : from;
    scanned_ = from;
    const std::size_t rest = size_ - seen_begin_;
    const std::size_t blocks = std::min((rest + mask_width - 1) / mask_width, most);
    classify(base_ + seen_begin_, blocks, masks_.data());
    seen_end_ = seen_begin_ + blocks * mask_width;
    if (rest < blocks * mask_width) masks_[blocks - 1].control &= ~(~std::uint64_t{0} << rest % mask_width);
  }

  const char* base_;
  std::size_t size_;
  std::size_t start_;
  std::size_t scanned_;
  std::size_t line_ = 0;  // of the last line: where it began
  std::size_t length_ = 0;
  std::size_t block_ = 0;       // where the block begins that `control_` is about
  std::uint64_t control_ = 0;   // what of its control bytes was not dealt with
  std::size_t seen_begin_ = 0;  // of the bytes whose masks are here
  std::size_t seen_end_ = 0;
  std::array<Masks, max_blocks> masks_;
  Fault fault_ = Fault::None;
};

}  // namespace tern::http1
