// Random bytes for secrets, from the kernel.
#pragma once

#include <cstddef>
#include <string>

namespace tern::web {

// Throws std::system_error if the kernel has none.
std::string random_bytes(std::size_t count);

}  // namespace tern::web
