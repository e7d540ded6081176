// A WebSocket on a stream of HTTP/2 (RFC 8441): its frames are the content of an extended CONNECT and of the answer.
#pragma once

#include "net/input_stage.hpp"
#include "net/loop.hpp"
#include "websockets/transport.hpp"

#include <tern/base/block_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tern::websockets {
class WebSocketSession;
}

namespace tern::exchange {

class Http2Stream;

// Belongs to its stream, which passes events to it. Bytes that the WebSocket does not consume are not read from the
// session, so that the stream's window stops the client: at most that window is held here, and as much in the session.
// Bytes that the client does not read wait in the session, and count as unsent here. So the backpressure of both sides
// is the stream's.
class Http2WebSocket final : public websockets::WebSocketTransport, private net::IterationEnd {
public:
  explicit Http2WebSocket(Http2Stream& stream) noexcept : stream_(stream) {}

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  // The 200 is written: begins. Content that has already arrived is presented at the end of the iteration.
  void start(websockets::WebSocketSession& session, std::string protocol);

  // There is more to read, or the content has ended.
  void on_content() { feed(); }
  // Content has been sent.
  void on_room();
  // The client has ended its side of the whole connection.
  void on_end();
  // The last call.
  void on_closed();
  void drain();

  void send(net::Output& output) override;
  std::size_t unsent() const noexcept override;
  bool waits() const noexcept override;
  void push() override;
  void pause() noexcept override { paused_ = true; }
  void resume() override;
  bool paused() const noexcept override { return paused_; }
  bool excuses_silence() override;
  bool progresses() override;
  // How long the client may read nothing, zero for no limit; unset at the end.
  std::optional<Milliseconds> patience() const noexcept;
  void finish() override;
  void abort() override;

private:
  void on_iteration_end() noexcept override { feed(); }
  void feed();
  auto consumer() noexcept;
  void read();

  Http2Stream& stream_;
  websockets::WebSocketSession* session_ = nullptr;  // null once on_end() has been called
  net::InputStage input_;
  std::string piece_;
  std::uint64_t heard_ = 0;  // of the connection, at the session's last check
  std::uint64_t taken_ = 0;  // bytes of the stream, likewise
  bool paused_ = false;
  bool feeding_ = false;
  bool cut_off_ = false;   // the connection receives no more
  bool ended_ = false;     // the session has been told of the end
  bool finished_ = false;  // the server's side
};

}  // namespace tern::exchange
