#include <tern/sql/uuid.hpp>

#include <tern/base/ascii.hpp>

namespace tern {
namespace {

constexpr std::size_t text_size = 36;

constexpr bool has_hyphen(std::size_t at) {
  return at == 8 || at == 13 || at == 18 || at == 23;
}

// 16 for what is no digit.
constexpr unsigned hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) noexcept {
  if (text.size() != text_size) return std::nullopt;
  Uuid uuid;
  std::size_t digits = 0;
  for (std::size_t at = 0; at < text_size; ++at) {
    if (has_hyphen(at)) {
      if (text[at] != '-') return std::nullopt;
      continue;
    }
    const unsigned value = hex_value(text[at]);
    if (value > 15) return std::nullopt;
    std::uint8_t& byte = uuid.bytes[digits++ / 2];
    byte = static_cast<std::uint8_t>(static_cast<unsigned>(byte) << 4U | value);
  }
  return uuid;
}

std::string Uuid::to_string() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(text_size);
  for (const std::uint8_t byte : bytes) {
    if (has_hyphen(text.size())) text += '-';
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace tern
