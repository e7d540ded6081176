#include "web/byte_ranges.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace tern::web {
namespace {

constexpr std::size_t max_listed = 1024;  // before overlapping ones are joined

// 1*DIGIT. A number beyond 64 bits is the largest one: beyond the end of any file.
std::optional<std::uint64_t> read_position(std::string_view text) noexcept {
  if (text.empty() || !std::ranges::all_of(text, base::is_digit)) return std::nullopt;
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} ? value : std::numeric_limits<std::uint64_t>::max();
}

// int-range / suffix-range. False if it is malformed; appends it to `ranges` if it can be satisfied.
bool read_range(std::string_view text, std::uint64_t size, std::vector<ByteRange>& ranges) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view after = text.substr(dash + 1);
  if (dash == 0) {
    const auto suffix = read_position(after);
    if (!suffix) return false;
    const std::uint64_t length = std::min(*suffix, size);
    if (length != 0) ranges.push_back({size - length, length});
    return true;
  }
  const auto first = read_position(text.substr(0, dash));
  const auto last = after.empty() ? std::optional(std::numeric_limits<std::uint64_t>::max()) : read_position(after);
  if (!first || !last || *last < *first) return false;
  if (*first < size) ranges.push_back({*first, std::min(*last, size - 1) - *first + 1});
  return true;
}

void join_overlapping(std::vector<ByteRange>& ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::first);
  std::size_t count = 0;
  for (const ByteRange& range : ranges) {
    ByteRange* last = count == 0 ? nullptr : &ranges[count - 1];
    if (last == nullptr || range.first > last->first + last->length) {
      ranges[count++] = range;
    } else {
      last->length = std::max(last->length, range.first + range.length - last->first);
    }
  }
  ranges.resize(count);
}

}  // namespace

std::optional<std::vector<ByteRange>> select_ranges(std::string_view field, std::uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  if (!base::equals_ignoring_case(field.substr(0, unit.size()), unit)) return std::nullopt;
  field.remove_prefix(unit.size());
  std::vector<ByteRange> ranges;
  std::size_t listed = 0;
  while (!field.empty()) {
    const std::size_t comma = std::min(field.find(','), field.size());
    const std::string_view range = base::trim(field.substr(0, comma));
    field.remove_prefix(std::min(comma + 1, field.size()));
    if (range.empty()) continue;
    if (++listed > max_listed || !read_range(range, size, ranges)) return std::nullopt;
  }
  if (listed == 0) return std::nullopt;
  join_overlapping(ranges);
  if (ranges.size() > max_byte_ranges) return std::nullopt;
  return ranges;
}

}  // namespace tern::web
