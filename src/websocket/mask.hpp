// Masking of a client's payload (RFC 6455, section 5.3): byte i is combined with byte i modulo 4 of the key.
#pragma once

#include <array>
#include <cstddef>

namespace tern::websocket {

using MaskKey = std::array<char, 4>;

// Masks or unmasks `size` bytes in place, of which the first is byte `offset` of the payload.
void apply_mask(char* bytes, std::size_t size, MaskKey key, std::size_t offset = 0) noexcept;

}  // namespace tern::websocket
