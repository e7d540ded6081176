// Assertions that stay in release builds: a violation ends the process with its location.
#pragma once

namespace tern::base {

[[noreturn]] void invariant_broken(const char* what, const char* file, unsigned line) noexcept;

// Ends the process with `what` and the caller's location if `holds` is false. For bugs in Tern and violations of a
// documented contract, never for input from clients.
inline void expects(bool holds, const char* what, const char* file = __builtin_FILE(),
                    unsigned line = __builtin_LINE()) noexcept {
  if (!holds) [[unlikely]] {
    invariant_broken(what, file, line);
  }
}

}  // namespace tern::base
