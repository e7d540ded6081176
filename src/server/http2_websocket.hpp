// A WebSocket on a stream of HTTP/2 (RFC 8441): its frames are the content of an extended CONNECT and of the answer.
#pragma once

#include "net/loop.hpp"
#include "net/rest_buffer.hpp"
#include "server/websocket_carrier.hpp"

#include <tern/base/block_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tern::server {

class Http2Stream;
class WebSocketSession;

// Belongs to its stream, which tells it what happens. What the WebSocket does not take is not read from the session, so
// that the stream's window stops the client: at most that window is held here, and as much in the session. What the
// client does not take waits in the session, and is counted as unsent here. So both sides' backpressure is the stream's
// own.
class Http2WebSocket final : public WebSocketCarrier, private net::IterationEnd {
public:
  explicit Http2WebSocket(Http2Stream& stream) noexcept : stream_(stream) {}

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  // The 200 is written: begins. What has come already is presented at the end of the iteration.
  void start(WebSocketSession& session, std::string protocol);

  // There is more to read, or nothing will come any more.
  void on_content() { feed(); }
  // Content of ours has left.
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
  bool silences() override;
  bool progresses() override;
  // How long the client may take nothing, zero being for ever; nothing at the end.
  std::optional<Milliseconds> patience() const noexcept;
  void finish() override;
  void abort() override;

private:
  void on_iteration_end() noexcept override { feed(); }
  void feed();
  void read();

  Http2Stream& stream_;
  WebSocketSession* session_ = nullptr;  // null once it was told of the end
  net::RestBuffer rest_;                 // what has come and was not consumed
  std::string piece_;
  std::uint64_t heard_ = 0;  // of the connection, when the session asked last
  std::uint64_t taken_ = 0;  // bytes of the stream, likewise
  bool paused_ = false;
  bool feeding_ = false;
  bool cut_off_ = false;   // the connection brings no more
  bool ended_ = false;     // the session was told that nothing comes any more
  bool finished_ = false;  // our side
};

}  // namespace tern::server
