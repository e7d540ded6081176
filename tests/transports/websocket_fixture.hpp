// A fixture for the tests of WebSockets, and two common handlers.
#pragma once

#include "transports/transport_test.hpp"
#include "transports/transport_websocket.hpp"
#include "websockets/hub.hpp"

#include <tern/async.hpp>

namespace tern::testing {

class WebSocketsTest : public TransportTest {
protected:
  TransportWebSocket socket(int receive_buffer = 0) { return TransportWebSocket(make_client(receive_buffer)); }
  // The status of a handshake's answer.
  static int opened() { return over_http2() ? 200 : 101; }
  bool no_sessions() {
    return running().eventually([this] { return running().worker().context().sockets().empty(); });
  }
};

inline Task<> echo(WebSocket socket) {
  while (auto message = co_await socket.receive()) co_await socket.send(*message);
}

struct Echo {
  void message(WebSocket& socket, MessageView message) { socket.send(message); }
};

}  // namespace tern::testing
