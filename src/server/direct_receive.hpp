// Sizes for direct receive.
#pragma once

#include "tls/session.hpp"

#include <cstddef>

namespace tern::server {

inline constexpr std::size_t min_direct_receive = 128 * 1024;   // bytes still to come, for direct receive to pay
inline constexpr std::size_t max_direct_receive = 1024 * 1024;  // bytes per call: the other connections wait meanwhile
static_assert(min_direct_receive >= tls::Session::room);

}  // namespace tern::server
