#include "web/base64url.hpp"

#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::web {
namespace {

constexpr std::uint8_t no_digit = 0x80;

constexpr std::array<std::uint8_t, 256> values = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(no_digit);
  std::uint8_t value = 0;
  for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")) {
    table[static_cast<unsigned char>(c)] = value++;
  }
  return table;
}();

}  // namespace

std::string to_base64url(std::string_view bytes) {
  const std::string padded = base::to_base64(bytes);
  std::string text = padded.substr(0, padded.find('='));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  const std::size_t rest = text.size() % 4;
  if (rest == 1) return std::nullopt;
  std::string bytes(text.size() / 4 * 3 + (rest == 0 ? 0 : rest - 1), '\0');
  char* out = bytes.data();
  std::uint32_t all = 0;  // of the values: tells whether one was no digit
  const auto value_at = [text, &all](std::size_t at) {
    const std::uint32_t value = values[static_cast<unsigned char>(text[at])];
    all |= value;
    return value;
  };
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte & 0xFFU); };
  std::size_t at = 0;
  for (; at + 4 <= text.size(); at += 4) {
    const std::uint32_t bits =
        value_at(at) << 18U | value_at(at + 1) << 12U | value_at(at + 2) << 6U | value_at(at + 3);
    put(bits >> 16U);
    put(bits >> 8U);
    put(bits);
  }
  std::uint32_t unused = 0;  // bits of the last digit, which are zero
  if (rest != 0) {
    const std::uint32_t bits = value_at(at) << 18U | value_at(at + 1) << 12U | (rest == 3 ? value_at(at + 2) << 6U : 0);
    put(bits >> 16U);
    if (rest == 3) put(bits >> 8U);
    unused = bits & (rest == 3 ? 0xFFU : 0xFFFFU);
  }
  if ((all & no_digit) != 0 || unused != 0) return std::nullopt;
  return bytes;
}

}  // namespace tern::web
