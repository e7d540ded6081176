// Assertions that stay in release builds: a broken invariant ends the process with the place that found it.
#pragma once

namespace tern::base {

[[noreturn]] void invariant_broken(const char* what, const char* file, unsigned line) noexcept;

// Ends the process, naming `what` and the caller's place, when `holds` is false. For bugs in Tern or breaches of a
// documented contract, never for what a client sends.
inline void expects(bool holds, const char* what, const char* file = __builtin_FILE(),
                    unsigned line = __builtin_LINE()) noexcept {
  if (!holds) [[unlikely]] {
    invariant_broken(what, file, line);
  }
}

}  // namespace tern::base
