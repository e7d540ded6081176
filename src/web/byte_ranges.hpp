// The Range field for bytes (RFC 9110, section 14.1.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tern::web {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t length = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// More ranges than this are answered with the whole content (section 14.2).
inline constexpr std::size_t max_byte_ranges = 16;

// The requested ranges of content of that size, in ascending order; those that overlap or touch are one. Empty: none
// can be satisfied (416). Unset: the field is to be ignored, because it is malformed, of another unit, or asks for too
// many ranges.
std::optional<std::vector<ByteRange>> select_ranges(std::string_view field, std::uint64_t size);

}  // namespace tern::web
