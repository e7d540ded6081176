// A fixture for the tests of WebSockets, and two handlers that everybody needs.
#pragma once

#include "server/websocket_hub.hpp"
#include "transports/socket_caller.hpp"
#include "transports/transport_test.hpp"

#include <tern/async.hpp>

namespace tern::testing {

class WebSocketsTest : public TransportTest {
protected:
  SocketCaller socket(int receive_buffer = 0) { return SocketCaller(caller(receive_buffer)); }
  // The status of a handshake's answer.
  static int opened() { return over_http2() ? 200 : 101; }
  bool no_sessions() {
    return running().eventually([this] { return running().worker().sockets().empty(); });
  }
};

inline Task<> echo(WebSocket socket) {
  while (auto message = co_await socket.receive()) co_await socket.send(*message);
}

struct Echo {
  void message(WebSocket& socket, MessageView message) { socket.send(message); }
};

}  // namespace tern::testing
