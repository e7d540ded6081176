// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern::web {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);

// The first `digits` of the digest in hexadecimal; at most 64.
std::string sha256_hex(std::string_view bytes, std::size_t digits);

}  // namespace tern::web
