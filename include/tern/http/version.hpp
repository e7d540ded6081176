// The protocol version of a request (RFC 9110, section 2.5).
#pragma once

#include <cstdint>

namespace tern {

enum class Version : std::uint8_t { Http10, Http11, Http2 };

}  // namespace tern
