// The field traceparent (W3C Trace Context, section 3.2), and ids as text.
//   traceparent = version "-" trace-id "-" parent-id "-" trace-flags
#pragma once

#include <tern/observe/tracing.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tern::observe {

struct TraceParent {
  TraceId trace = {};
  SpanId parent = {};
  bool sampled = false;
};

// Empty unless it is valid; a later version is read as far as it is like this one.
std::optional<TraceParent> parse_traceparent(std::string_view text) noexcept;
std::string format_traceparent(const TraceId& trace, const SpanId& id, bool sampled);

// Eight bytes of an id. Ids are not zero.
template <std::size_t size>
void fill_id(std::array<std::uint8_t, size>& id, std::size_t offset, std::uint64_t number) noexcept {
  if (number == 0) number = 1;
  std::memcpy(id.data() + offset, &number, sizeof number);
}

// Lower-case hexadecimal digits, two for each byte.
void write_hex(std::span<const std::uint8_t> bytes, char* to) noexcept;
template <std::size_t size>
std::string hex(const std::array<std::uint8_t, size>& bytes) {
  std::string text(2 * size, '\0');
  write_hex(bytes, text.data());
  return text;
}

}  // namespace tern::observe
