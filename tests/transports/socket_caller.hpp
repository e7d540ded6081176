// The other end of a WebSocket, whatever carries it.
#pragma once

#include "transports/caller.hpp"
#include "websocket/feed.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tern::testing {

class SocketCaller {
public:
  explicit SocketCaller(Caller caller) : caller_(std::move(caller)) {}

  Caller& caller() { return caller_; }

  // The handshake; `frames` are sent right behind it.
  void begin(std::string_view path, FieldPairs fields = {}, std::string_view frames = {}) {
    fields.emplace_back("sec-websocket-version", "13");
    at_ = 0;
    caller_.ask({.path = path, .fields = std::move(fields), .content = frames, .websocket = true});
  }
  // Its answer, without the content.
  const Reaction& connect(std::string_view path, FieldPairs fields = {}, std::string_view frames = {}) {
    begin(path, std::move(fields), frames);
    return opened();
  }
  const Reaction& opened() {
    caller_.until([](const Reaction& reaction) { return reaction.status != 0; });
    return caller_.so_far();
  }
  void send(std::string_view bytes) { caller_.send(bytes); }
  void text(std::string_view payload) { send(websocket::testing::text(payload)); }
  void binary(std::string_view payload) { send(websocket::testing::binary(payload)); }

  // The next frame, as read_frames() shows it, without the line's end.
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
  // Whether more of a frame comes, or the end, within so many milliseconds.
  bool comes_within(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (caller_.so_far().content.size() == at_ && !caller_.so_far().over()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      if (caller_.readable_within(static_cast<int>(left.count()))) caller_.take_ready();
    }
    return true;
  }
  // Whether it ends in good order, without a byte more. Then our side ends, too.
  bool ends() {
    if (!caller_.answer().complete || caller_.so_far().content.size() != at_) return false;
    caller_.end();
    return true;
  }
  // Waits for the end, however it comes.
  bool is_gone() { return caller_.answer().over(); }

private:
  std::string take(std::size_t count) {
    caller_.until([&](const Reaction& reaction) { return reaction.content.size() >= at_ + count; });
    std::string taken = caller_.so_far().content.substr(at_, count);
    at_ += taken.size();
    return taken;
  }

  Caller caller_;
  std::size_t at_ = 0;
  std::string payload_;
};

}  // namespace tern::testing
