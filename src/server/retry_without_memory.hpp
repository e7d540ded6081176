// For what has to happen although memory is short: a server is stopped only once.
#pragma once

#include <chrono>
#include <new>
#include <thread>

namespace tern::server {

// Calls f() until it does not throw std::bad_alloc, with pauses that block the thread.
template <class F>
auto retry_without_memory(F f) noexcept {
  for (;;) {
    try {
      return f();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

}  // namespace tern::server
