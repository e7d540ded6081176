// The clocks of stored things: those of the loop, which a test client can advance.
#pragma once

#include <cstdint>

namespace tern::web {

// Milliseconds of a steady clock, the same for all loops.
std::uint64_t now_in_milliseconds() noexcept;

// Seconds since 1970.
std::int64_t unix_time() noexcept;

}  // namespace tern::web
