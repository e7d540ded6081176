// Random bytes for secrets, from the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern::base {

// Throws std::system_error if the kernel has none.
std::string random_bytes(std::size_t count);
std::uint64_t random_number();

}  // namespace tern::base
