// A fixture for the tests of WebSockets, and two common handlers.
#pragma once

#include "server/app_test.hpp"
#include "server/websocket_client.hpp"
#include "websockets/hub.hpp"

#include <tern/async.hpp>

#include <cstdint>

namespace tern::testing {

class WebSocketTest : public AppTest {
protected:
  WebSocketClient socket(int receive_buffer = 0) { return WebSocketClient(client(receive_buffer)); }
  std::uint64_t sends() {
    return running().on_loop([this] { return running().counters().sends.value(); });
  }
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
