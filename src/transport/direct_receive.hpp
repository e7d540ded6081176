// Sizes for direct receive.
#pragma once

#include "tls/session.hpp"

#include <cstddef>

namespace tern::transport {

inline constexpr std::size_t min_direct_receive = 128 * 1024;   // missing bytes, so that direct receive pays
inline constexpr std::size_t max_direct_receive = 1024 * 1024;  // bytes per call: the other connections wait meanwhile
static_assert(min_direct_receive >= tls::Session::room);

}  // namespace tern::transport
