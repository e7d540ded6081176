// Finding where lines end: the one place that looks at every byte of a head, and the seam for a SIMD scan.
//
// A line of a head, of a chunk's size or of a trailer section ends in CRLF and holds no other control byte but HTAB
// (RFC 9110, section 5.5; RFC 9112, section 2.2). So the first control byte found is either the end of the line or a
// fault.
#pragma once

#include "http1/fault.hpp"

#include <tern/base/ascii.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tern::http1 {

constexpr bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

// The first control byte other than HTAB, or `end`. Reads nothing outside [begin, end).
inline const char* find_control(const char* begin, const char* end) noexcept {
  const char* at = begin;
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    constexpr std::uint64_t tops = ones * 0x80;
    while (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      // A byte's top bit is set when it is below 0x20, or 0x7f. A borrow may set it wrongly, but only above a byte
      // where it is set rightly, and the lowest one is what counts.
      const std::uint64_t deletes = word ^ (ones * 0x7f);
      const std::uint64_t found = (((word - ones * 0x20) & ~word) | ((deletes - ones) & ~deletes)) & tops;
      if (found == 0) {
        at += 8;
        continue;
      }
      at += std::countr_zero(found) / 8;
      if (*at != '\t') return at;
      ++at;
    }
  }
  while (at != end && !is_control(*at)) ++at;
  return at;
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

// Takes lines off a text that may end anywhere, and remembers how far it looked.
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
    const auto at = static_cast<std::size_t>(find_control(base + scanned_, base + until) - base);
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

  // For whoever finds a fault in the line.
  Found fail(Fault fault) noexcept {
    fault_ = fault;
    return Found::Fault;
  }

private:
  std::string_view bytes_;
  std::string_view text_;
  std::size_t start_;
  std::size_t scanned_;
  Fault fault_ = Fault::None;
};

}  // namespace tern::http1
