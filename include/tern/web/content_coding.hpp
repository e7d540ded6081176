// The content codings that tern::web reads and writes (RFC 9110, section 8.4.1).
#pragma once

#include <cstdint>

namespace tern::web {

// Zstd: RFC 8878. Brotli: RFC 7932, with the name "br". Identity: the content as it is.
enum class ContentCoding : std::uint8_t { Identity, Gzip, Brotli, Zstd };

}  // namespace tern::web
