#include <tern/base/expects.hpp>

#include <cstdio>
#include <cstdlib>

namespace tern::base {

void invariant_broken(const char* what, const char* file, unsigned line) noexcept {
  std::fprintf(stderr, "tern: broken invariant at %s:%u: %s\n", file, line, what);
  std::abort();
}

}  // namespace tern::base
