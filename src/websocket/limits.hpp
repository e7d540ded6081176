// Limits on a peer.
#pragma once

#include <cstddef>

namespace tern::websocket {

struct Limits {
  std::size_t message = 1024 * 1024;  // bytes of one message, complete and inflated; beyond: close code 1009
};

}  // namespace tern::websocket
