#pragma once

#include "websocket/handshake.hpp"

#include <tern/http/websocket.hpp>

namespace tern::websockets {

// The handshakes that the options of a route allow.
websocket::HandshakeRules rules_of(const WebSocketOptions& options);

}  // namespace tern::websockets
