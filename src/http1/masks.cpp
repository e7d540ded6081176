#include "http1/masks.hpp"

#include "http1/scan.hpp"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tern::http1 {
namespace {

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    classes[byte] = static_cast<std::uint8_t>((is_control(c) ? 1U : 0U) | (base::is_token_char(c) ? 0U : 2U));
  }
  return classes;
}
constexpr std::array<std::uint8_t, 256> classes = make_classes();

#if defined(__x86_64__)

// For each low nibble, the high nibbles with which it forms a token character: bit h for the high nibble h. Bytes from
// 0x80 on are no token characters.
constexpr std::array<char, 16> make_token_table() {
  std::array<char, 16> table{};
  for (unsigned low = 0; low < 16; ++low) {
    unsigned bits = 0;
    for (unsigned high = 0; high < 8; ++high) {
      if (base::is_token_char(static_cast<char>(high << 4U | low))) bits |= 1U << high;
    }
    table[low] = static_cast<char>(bits);
  }
  return table;
}
alignas(16) constexpr std::array<char, 16> token_table = make_token_table();

#endif

}  // namespace

void classify_portable(const char* bytes, std::size_t blocks, Masks* masks) noexcept {
  for (; blocks != 0; --blocks, ++masks, bytes += mask_width) {
    Masks found;
    for (unsigned i = 0; i < mask_width; ++i) {
      const std::uint64_t is = classes[static_cast<unsigned char>(bytes[i])];
      found.control |= (is & 1U) << i;
      found.not_token |= (is >> 1U) << i;
    }
    *masks = found;
  }
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) void classify_avx2(const char* bytes, std::size_t blocks, Masks* masks) noexcept {
  const __m256i token_highs =
      _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(token_table.data())));
  const __m256i bit_of_high = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                               1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i low_half = _mm256_set1_epi8(0x0f);
  const __m256i last_control = _mm256_set1_epi8(0x1f);
  const __m256i tab = _mm256_set1_epi8('\t');
  const __m256i del = _mm256_set1_epi8(0x7f);
  for (; blocks != 0; --blocks, ++masks) {
    std::uint64_t control = 0;
    std::uint64_t not_token = 0;
    for (unsigned half = 0; half < mask_width; half += 32, bytes += 32) {
      const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
      const __m256i below = _mm256_cmpeq_epi8(_mm256_min_epu8(text, last_control), text);
      const __m256i controls = _mm256_or_si256(_mm256_andnot_si256(_mm256_cmpeq_epi8(text, tab), below),  //
                                               _mm256_cmpeq_epi8(text, del));
      // A byte from 0x80 on selects 0 from the first table by its top bit.
      const __m256i highs = _mm256_shuffle_epi8(token_highs, text);
      const __m256i high = _mm256_and_si256(_mm256_srli_epi16(text, 4), low_half);
      const __m256i hits = _mm256_and_si256(highs, _mm256_shuffle_epi8(bit_of_high, high));
      const __m256i misses = _mm256_cmpeq_epi8(hits, _mm256_setzero_si256());
      control |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(controls))} << half;
      not_token |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(misses))} << half;
    }
    *masks = {control, not_token};
  }
}

namespace {

// Runs before main(); until then the portable implementation is used.
[[maybe_unused]] const bool chosen = [] {
  if (__builtin_cpu_supports("avx2")) classify = &classify_avx2;
  return true;
}();

}  // namespace

#endif

constinit Classify classify = &classify_portable;

}  // namespace tern::http1
