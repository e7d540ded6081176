// The other end of a WebSocket, for tests.
#pragma once

#include "server/client.hpp"
#include "websocket/feed.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tern::testing {

inline constexpr std::string_view handshake_fields =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

class WebSocketClient {
public:
  explicit WebSocketClient(HttpClient client) : client_(std::move(client)) {}

  HttpClient& client() { return client_; }

  // The answer to the handshake. Frames follow a 101.
  HttpAnswer connect(std::string_view path, std::string_view fields = {}) {
    client_.get(path, std::string(handshake_fields) + std::string(fields));
    return client_.answer();
  }
  bool send(std::string_view bytes) { return client_.send(bytes); }
  void text(std::string_view payload) { send(websocket::testing::text(payload)); }
  void binary(std::string_view payload) { send(websocket::testing::binary(payload)); }

  // The next frame, as read_frames() shows it, without the line's end.
  std::string next() {
    std::string bytes = client_.take(2);
    if (bytes.size() < 2) return "(end)";
    std::size_t length = static_cast<unsigned char>(bytes[1]);
    if (length >= 126) {
      const std::string more = client_.take(length == 126 ? 2 : 8);
      length = 0;
      for (const char c : more) length = length << 8U | static_cast<unsigned char>(c);
      bytes += more;
    }
    payload_ = client_.take(length);
    std::string line = websocket::testing::read_frames(bytes + payload_);
    line.pop_back();
    return line;
  }
  const std::string& payload() const { return payload_; }

private:
  HttpClient client_;
  std::string payload_;
};

}  // namespace tern::testing
