#include <tern/app/websocket.hpp>

namespace tern {
namespace app {

// Found once, and the same for all who ask.
WebSocket socket_of(Request& request) {
  if (const WebSocket* found = request.find<WebSocket>()) return *found;
  return request.put(WebSocket::make());
}

}  // namespace app

std::expected<WebSocket, Rejection> Extract<WebSocket>::from(Request& request) {
  return app::socket_of(request);
}

}  // namespace tern
