// Which bytes of a short text are in sets, as bits: one comparison of 16 bytes where a loop takes one step for each.
// For x86-64, of which SSE2 is part; elsewhere there are no masks, and texts are read byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tern::json::detail {

// Shorter texts are read faster by bytes, and longer ones have more bytes than a mask has bits.
constexpr std::size_t min_masked = 8;
constexpr std::size_t max_masked = 63;

constexpr bool has_mask(std::size_t size) {
#if defined(__SSE2__)
  return size >= min_masked && size <= max_masked;
#else
  static_cast<void>(size);
  return false;
#endif
}

#if defined(__SSE2__)

// A text that has a mask. each_block() calls `classify(bytes, place)` for 16 bytes at a time, some of which may come
// twice; place(found) gives the bytes that were found as the bits of their places in the text.
class MaskedText {
public:
  MaskedText(const char* text, std::size_t size) : text_(text), size_(size) {}

  template <class F>
  void each_block(F classify) const {
    if (size_ < 16) {
      // The first eight bytes and the last.
      const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(text_));
      const __m128i last = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(text_ + size_ - 8));
      const std::size_t behind = size_ - 8;
      return classify(_mm_unpacklo_epi64(first, last), [behind](__m128i found) {
        const auto bits = static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(found)));
        return (bits & 0xFFU) | (bits >> 8U) << behind;
      });
    }
    for (std::size_t at = 0; at + 16 <= size_; at += 16) present(at, classify);
    if (size_ % 16 != 0) present(size_ - 16, classify);
  }

private:
  template <class F>
  void present(std::size_t at, F& classify) const {
    classify(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text_ + at)), [at](__m128i found) {
      return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(found))) << at;
    });
  }

  const char* text_;
  std::size_t size_;
};

// Of each byte, whether it is one of first … last, characters of ASCII. Bytes beyond ASCII are negative, and in none.
inline __m128i in_range(__m128i bytes, char first, char last) {
  return _mm_andnot_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(last)),
                          _mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1))));
}

#endif

}  // namespace tern::json::detail
