// The system's clock in seconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace tern::web {

// Seconds since 1970, without leap seconds.
inline std::int64_t unix_time() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace tern::web
