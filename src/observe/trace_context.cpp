#include "observe/trace_context.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tern::observe {
namespace {

// Upper-case digits are not valid here.
int digit(char byte) noexcept {
  if (byte >= '0' && byte <= '9') return byte - '0';
  return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

template <std::size_t size>
bool read_hex(std::string_view text, std::array<std::uint8_t, size>& bytes) noexcept {
  if (text.size() != 2 * size) return false;
  for (std::size_t i = 0; i < size; ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<std::uint8_t>(16 * high + low);
  }
  return true;
}

template <class Bytes>
bool is_zero(const Bytes& bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

void write_hex(std::span<const std::uint8_t> bytes, char* to) noexcept {
  static constexpr auto pairs = [] {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<std::array<char, 2>, 256> all{};
    for (std::size_t byte = 0; byte < all.size(); ++byte) all[byte] = {digits[byte >> 4U], digits[byte & 15U]};
    return all;
  }();
  for (const std::uint8_t byte : bytes) {
    std::memcpy(to, pairs[byte].data(), 2);
    to += 2;
  }
}

std::optional<TraceParent> parse_traceparent(std::string_view text) noexcept {
  constexpr std::size_t length = 55;
  if (text.size() < length || text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
  std::array<std::uint8_t, 1> version{};
  std::array<std::uint8_t, 1> flags{};
  TraceParent result;
  if (!read_hex(text.substr(0, 2), version) || version[0] == 0xFF) return std::nullopt;
  if (text.size() > length && (version[0] == 0 || text[length] != '-')) return std::nullopt;
  if (!read_hex(text.substr(3, 32), result.trace) || is_zero(result.trace)) return std::nullopt;
  if (!read_hex(text.substr(36, 16), result.parent) || is_zero(result.parent)) return std::nullopt;
  if (!read_hex(text.substr(53, 2), flags)) return std::nullopt;
  result.sampled = (flags[0] & 1U) != 0;
  return result;
}

std::string format_traceparent(const TraceId& trace, const SpanId& id, bool sampled) {
  return "00-" + hex(trace) + "-" + hex(id) + (sampled ? "-01" : "-00");
}

}  // namespace tern::observe
