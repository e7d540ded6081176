// The fields by which proxies name their clients.
#pragma once

#include <cstdint>

namespace tern {

// X-Forwarded-For and X-Forwarded-Proto, or Forwarded (RFC 7239). Only one, since a proxy that writes one of them
// passes on what clients have written into the other.
enum class ForwardedBy : std::uint8_t { XForwarded, Forwarded };

}  // namespace tern
