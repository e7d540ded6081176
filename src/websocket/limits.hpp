// What a peer may ask of a connection.
#pragma once

#include <cstddef>

namespace tern::websocket {

struct Limits {
  std::size_t message = 1024 * 1024;  // bytes of one message, whole and after inflating; past it close code 1009
};

}  // namespace tern::websocket
