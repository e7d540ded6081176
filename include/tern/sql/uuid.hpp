// Uuid: 16 bytes, as databases store them (RFC 9562).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  // "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"; unset for other forms. Upper case is read, too.
  static std::optional<Uuid> parse(std::string_view text) noexcept;
  std::string to_string() const;

  friend bool operator==(const Uuid&, const Uuid&) = default;
  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

}  // namespace tern
