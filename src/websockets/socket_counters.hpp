// What a loop counts about its WebSockets. They outlive the hub.
#pragma once

#include "base/counter.hpp"

namespace tern::websockets {

struct SocketCounters {
  base::Counter opened;
  base::Counter received;  // messages
  base::Counter sent;      // messages, publications too
  base::Counter dropped;   // messages to slow peers
  base::Gauge queued;      // bytes that peers have not read
};

}  // namespace tern::websockets
