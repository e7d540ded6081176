// The only code that reads every byte of a head: classifies 64 bytes at a time into bit masks for the parsers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::http1 {

// Of 64 bytes; the lowest bit is the first byte.
struct Masks {
  std::uint64_t control = 0;    // control bytes but HTAB: an end of a line, or a fault (RFC 9110, section 5.5)
  std::uint64_t not_token = 0;  // bytes that end a method or a field name (section 5.6.2)
};

inline constexpr std::size_t mask_width = 64;

// Bytes that must be readable after a classified text.
inline constexpr std::size_t padding = mask_width;

// Fills `masks` from `blocks` times 64 bytes.
using Classify = void (*)(const char* bytes, std::size_t blocks, Masks* masks) noexcept;

// The fastest implementation for this processor.
extern constinit Classify classify;

void classify_portable(const char* bytes, std::size_t blocks, Masks* masks) noexcept;
#if defined(__x86_64__)
// Requires AVX2.
void classify_avx2(const char* bytes, std::size_t blocks, Masks* masks) noexcept;
#endif

}  // namespace tern::http1
