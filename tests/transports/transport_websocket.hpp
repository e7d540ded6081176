// A WebSocket client over any transport.
#pragma once

#include "transports/transport_client.hpp"
#include "websocket/feed.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tern::testing {

class TransportWebSocket {
public:
  explicit TransportWebSocket(TransportClient client) : client_(std::move(client)) {}

  TransportClient& make_client() { return client_; }

  // Sends the handshake; `frames` follow it immediately.
  void begin(std::string_view path, FieldPairs fields = {}, std::string_view frames = {}) {
    fields.emplace_back("sec-websocket-version", "13");
    at_ = 0;
    client_.ask({.path = path, .fields = std::move(fields), .content = frames, .websocket = true});
  }
  // Its response, without the content.
  const ClientResponse& connect(std::string_view path, FieldPairs fields = {}, std::string_view frames = {}) {
    begin(path, std::move(fields), frames);
    return opened();
  }
  const ClientResponse& opened() {
    client_.until([](const ClientResponse& response) { return response.status != 0; });
    return client_.response_so_far();
  }
  void send(std::string_view bytes) { client_.send(bytes); }
  void text(std::string_view payload) { send(websocket::testing::text(payload)); }
  void binary(std::string_view payload) { send(websocket::testing::binary(payload)); }

  // The next frame in the format of read_frames(), without the newline.
  std::string next() {
    std::string bytes = take(2);
    if (bytes.size() < 2) return "(end)";
    std::size_t length = static_cast<unsigned char>(bytes[1]);
    if (length >= 126) {
      const std::string more = take(length == 126 ? 2 : 8);
      length = 0;
      for (const char c : more) length = length << 8U | static_cast<unsigned char>(c);
      bytes += more;
    }
    payload_ = take(length);
    std::string line = websocket::testing::read_frames(bytes + payload_);
    line.pop_back();
    return line;
  }
  const std::string& payload() const { return payload_; }
  // Whether input or the end arrives within this time.
  bool comes_within(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (client_.response_so_far().content.size() == at_ && !client_.response_so_far().over()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      if (client_.readable_within(static_cast<int>(left.count()))) client_.take_ready();
    }
    return true;
  }
  // Whether the connection ends gracefully, without further bytes. Then ends the client's side, too.
  bool ends() {
    if (!client_.answer().complete || client_.response_so_far().content.size() != at_) return false;
    client_.end();
    return true;
  }
  // Waits for the end, graceful or not.
  bool is_gone() { return client_.answer().over(); }

private:
  std::string take(std::size_t count) {
    client_.until([&](const ClientResponse& response) { return response.content.size() >= at_ + count; });
    std::string taken = client_.response_so_far().content.substr(at_, count);
    at_ += taken.size();
    return taken;
  }

  TransportClient client_;
  std::size_t at_ = 0;
  std::string payload_;
};

}  // namespace tern::testing
