// Finding line ends.
//
// A line of a head, a chunk-size line or a trailer line ends in CRLF and contains no other control byte except HTAB
// (RFC 9110, section 5.5; RFC 9112, section 2.2). The first control byte is therefore either the end of the line or a
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

// The end of the token characters of `text` from `from` on.
inline std::size_t token_end(std::string_view text, std::size_t from = 0) noexcept {
  while (from < text.size() && token_bytes[text[from]]) ++from;
  return from;
}

// Splits a possibly incomplete text into lines, and remembers how far it was scanned. `padding` readable bytes of any
// value must follow the text.
class LineScanner {
public:
  enum class Found : std::uint8_t { Line, More, Fault };

  // `start` is the begin of the line; an earlier scan of the same text ended at `scanned`.
  LineScanner(std::string_view bytes, std::size_t start, std::size_t scanned) noexcept
      : base_(bytes.data()), size_(bytes.size()), start_(start), scanned_(scanned) {}

  // Sets text() to the next line, without CRLF. A line of more than `limit` bytes fails with `too_long` as soon as that
  // many bytes have arrived, regardless of how the input was split.
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
    // Clears CR and LF. An LF in the next block is skipped by advance().
    control_ &= control_ - 1;
    if (start_ <= block_ + mask_width) control_ &= control_ - 1;
    return Found::Line;
  }

  std::string_view text() const noexcept { return {base_ + line_, length_}; }
  std::size_t start() const noexcept { return start_; }      // begin of the next line
  std::size_t scanned() const noexcept { return scanned_; }  // where the next scan continues
  Fault fault() const noexcept { return fault_; }

  // The end of the token at the begin of text().
  std::size_t token_end() const noexcept {
    if (line_ < classified_begin_ || line_ >= classified_end_) return http1::token_end(text());
    const std::size_t block = (line_ - classified_begin_) / mask_width;
    const std::size_t in_block = (line_ - classified_begin_) % mask_width;
    const bool last = (block + 1) * mask_width == classified_end_ - classified_begin_;
    const std::uint64_t next = last ? 0 : masks_[block + 1].not_token;
    const std::uint64_t ends = masks_[block].not_token >> in_block | next << 1U << (mask_width - 1 - in_block);
    return ends != 0 ? static_cast<std::size_t>(std::countr_zero(ends)) : http1::token_end(text());
  }

  // For callers that find a fault in the line.
  Found fail(Fault fault) noexcept {
    fault_ = fault;
    return Found::Fault;
  }

private:
  static constexpr std::size_t first_blocks = 2;  // enough for most heads of consecutive requests
  static constexpr std::size_t max_blocks = 4;

  Found more(std::size_t scanned) noexcept {
    scanned_ = scanned;
    return Found::More;
  }

  // Classifies a control byte at `at` that does not end a line.
  [[gnu::noinline]] Found no_line_end(std::size_t at) noexcept {
    if (base_[at] == '\r' && at + 1 == size_) return more(at);
    if (base_[at] == '\r') return fail(Fault::BareCr);
    return fail(base_[at] == '\n' ? Fault::BareLf : Fault::ControlByte);
  }

  // Moves to the next block. False at the end of the text.
  bool advance() noexcept {
    std::size_t block = block_ + mask_width;
    if (classified_end_ == 0 || block >= classified_end_) {
      const std::size_t from = std::max(classified_end_, scanned_);
      if (from >= size_) return false;
      classify_from(from);
      block = classified_begin_;
    }
    block_ = block;
    control_ = masks_[(block - classified_begin_) / mask_width].control;
    if (block_ >= scanned_) return true;
    const std::size_t known = scanned_ - block_;
    control_ = known < mask_width ? control_ & ~std::uint64_t{0} << known : 0;
    return true;
  }

  // Computes the masks around `from`, including the begin of the line if that is near, for its token.
  void classify_from(std::size_t from) noexcept {
    const std::size_t most = classified_end_ == 0 ? first_blocks : max_blocks;
    classified_begin_ = from - start_ < mask_width ? start_ : from;
    scanned_ = from;
    const std::size_t rest = size_ - classified_begin_;
    const std::size_t blocks = std::min((rest + mask_width - 1) / mask_width, most);
    classify(base_ + classified_begin_, blocks, masks_.data());
    classified_end_ = classified_begin_ + blocks * mask_width;
    if (rest < blocks * mask_width) masks_[blocks - 1].control &= ~(~std::uint64_t{0} << rest % mask_width);
  }

  const char* base_;
  std::size_t size_;
  std::size_t start_;
  std::size_t scanned_;
  std::size_t line_ = 0;  // begin of the last line
  std::size_t length_ = 0;
  std::size_t block_ = 0;             // begin of the block that `control_` describes
  std::uint64_t control_ = 0;         // control bytes of the block that were not processed yet
  std::size_t classified_begin_ = 0;  // range of the bytes whose masks are valid
  std::size_t classified_end_ = 0;
  std::array<Masks, max_blocks> masks_;
  Fault fault_ = Fault::None;
};

}  // namespace tern::http1
