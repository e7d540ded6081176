#include "web/base64url.hpp"

#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::web {
namespace {

constexpr std::uint32_t no_digit = 0xFFFF'FFFF;  // shifted by up to 18 bits, it has one of the upper eight

constexpr std::array<std::uint32_t, 256> values = [] {
  std::array<std::uint32_t, 256> table{};
  table.fill(no_digit);
  std::uint32_t value = 0;
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
  const std::size_t size = text.size() / 4 * 3 + (rest == 0 ? 0 : rest - 1);
  std::uint32_t all = 0;  // of the bits: tells whether a character was no digit
  const auto value_at = [text](std::size_t at) { return values[static_cast<unsigned char>(text[at])]; };
  std::string bytes;
  bytes.resize_and_overwrite(size, [&](char* out, std::size_t) {
    const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte & 0xFFU); };
    std::size_t at = 0;
    for (; at + 4 <= text.size(); at += 4) {
      const std::uint32_t bits =
          value_at(at) << 18U | value_at(at + 1) << 12U | value_at(at + 2) << 6U | value_at(at + 3);
      all |= bits;
      put(bits >> 16U);
      put(bits >> 8U);
      put(bits);
    }
    if (rest == 0) return size;
    const std::uint32_t bits = value_at(at) << 18U | value_at(at + 1) << 12U | (rest == 3 ? value_at(at + 2) << 6U : 0);
    const std::uint32_t unused = bits & (rest == 3 ? 0xFFU : 0xFFFFU);  // of the last digit: zero
    all |= unused != 0 ? no_digit : bits;
    put(bits >> 16U);
    if (rest == 3) put(bits >> 8U);
    return size;
  });
  if (all >> 24U != 0) return std::nullopt;
  return bytes;
}

}  // namespace tern::web
