// The clock of stored things: that of the loop, which a test client can advance.
#pragma once

#include <cstdint>

namespace tern::web {

// Milliseconds of a steady clock, the same for all loops.
std::uint64_t now_in_milliseconds() noexcept;

}  // namespace tern::web
