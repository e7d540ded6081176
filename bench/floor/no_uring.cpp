// Stands in for uring.cpp where liburing is not installed.
#include "answer.hpp"

#include <cerrno>

namespace bench {

bool serve_uring(int) {
  errno = ENOSYS;
  return false;
}

}  // namespace bench
