#include <tern/app/websocket.hpp>

#include <string>

namespace tern {
namespace app {

// The WebSocket is created once per request.
WebSocket socket_of(Request& request) {
  if (const WebSocket* found = request.find<WebSocket>()) return *found;
  return request.put(WebSocket::make());
}

std::string_view mistake_of(const WebSocketOptions& options) noexcept {
  if (options.window_bits >= 9 && options.window_bits <= 15) return {};
  return "the window_bits of a WebSocket are 9 to 15";
}

}  // namespace app

std::expected<WebSocket, Rejection> Extract<WebSocket>::from(Request& request) {
  return app::socket_of(request);
}

}  // namespace tern
