// io_uring as a loop's poller. Its source needs liburing and is left out where that is switched off (TERN_IO_URING);
// uring_missing.cpp stands in for it then.
#pragma once

#include "net/poller.hpp"

#include <memory>

namespace tern::net {

// Throws std::system_error when the kernel refuses.
std::unique_ptr<Poller> make_uring();

}  // namespace tern::net
