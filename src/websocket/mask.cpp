#include "websocket/mask.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tern::websocket {
namespace {

#if defined(__x86_64__)

constexpr std::size_t min_avx2_size = 256;  // bytes

// Masks whole blocks, and returns their size.
__attribute__((target("avx2"))) std::size_t mask_avx2(char* bytes, std::size_t size, std::uint64_t mask) noexcept {
  constexpr std::size_t block = 128;
  const __m256i wide = _mm256_set1_epi64x(static_cast<long long>(mask));
  std::size_t done = 0;
  for (; size - done >= block; done += block) {
    auto* const at = reinterpret_cast<__m256i*>(bytes + done);
    for (int i = 0; i < 4; ++i) _mm256_storeu_si256(at + i, _mm256_xor_si256(_mm256_loadu_si256(at + i), wide));
  }
  return done;
}

#endif

}  // namespace

void apply_mask(char* bytes, std::size_t size, MaskKey key, std::size_t offset) noexcept {
  std::array<char, 8> turned;
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = key[(offset + i) & 3U];
  std::uint64_t mask = 0;
  std::memcpy(&mask, turned.data(), sizeof mask);
#if defined(__x86_64__)
  if (size >= min_avx2_size && __builtin_cpu_supports("avx2")) {
    const std::size_t done = mask_avx2(bytes, size, mask);  // a multiple of the key's size
    bytes += done;
    size -= done;
  }
#endif
  // Four words at a time, which compilers vectorise.
  while (size >= 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes, sizeof words);
    for (std::uint64_t& word : words) word ^= mask;
    std::memcpy(bytes, words, sizeof words);
    bytes += 32;
    size -= 32;
  }
  while (size >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    word ^= mask;
    std::memcpy(bytes, &word, sizeof word);
    bytes += 8;
    size -= 8;
  }
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(bytes[i] ^ turned[i]);
}

}  // namespace tern::websocket
