// SHA-1 (RFC 3174). Not secure for signatures; required by the WebSocket handshake (RFC 6455, section 1.3).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tern::base {

std::array<std::uint8_t, 20> sha1(std::string_view text) noexcept;

}  // namespace tern::base
