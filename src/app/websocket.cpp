#include <tern/app/websocket.hpp>

#include <tern/app/app.hpp>

#include <string>

namespace tern {
namespace app {

// Found once, and the same for all who ask.
WebSocket socket_of(Request& request) {
  if (const WebSocket* found = request.find<WebSocket>()) return *found;
  return request.put(WebSocket::make());
}

void check(const WebSocketOptions& options) {
  if (options.window_bits < 9 || options.window_bits > 15) {
    throw SetupError("the window_bits of a WebSocket are " + std::to_string(options.window_bits) +
                     ": 9 to 15 are possible");
  }
}

}  // namespace app

std::expected<WebSocket, Rejection> Extract<WebSocket>::from(Request& request) {
  return app::socket_of(request);
}

}  // namespace tern
