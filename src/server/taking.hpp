// How much is taken from a connection in place of being presented.
#pragma once

#include "tls/session.hpp"

#include <cstddef>

namespace tern::server {

inline constexpr std::size_t least_taken = 128 * 1024;  // of what is to come, to receive it where it is collected
inline constexpr std::size_t most_taken = 1024 * 1024;  // at once: the other connections wait meanwhile
static_assert(least_taken >= tls::Session::room);

}  // namespace tern::server
