// What a channel does with bytes: see PlainChannel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::load {

enum class Waits : std::uint8_t {
  None,
  ToRead,   // nothing to be received, or a handshake needs input
  ToWrite,  // the kernel takes no more
  Closed,   // by the server, in order
  Broken,   // errno has the reason, or 0
};

struct Moved {
  std::size_t bytes = 0;  // at least one if `waits` is None
  Waits waits = Waits::None;
};

}  // namespace tern::load
