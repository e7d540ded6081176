// SHA-1 (RFC 3174). Broken as a signature; here because the WebSocket handshake names it (RFC 6455, section 1.3).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tern::base {

std::array<std::uint8_t, 20> sha1(std::string_view text) noexcept;

}  // namespace tern::base
