// The policy for slow clients of WebSockets and event streams.
#pragma once

#include <cstdint>

namespace tern {

// The policy for a slow peer: drop the message, close the WebSocket (1008), or wait: `co_await socket.send(…)` waits
// for room; without co_await, the message is dropped.
enum class WhenFull : std::uint8_t { Wait, Drop, Close };

}  // namespace tern
