// The byte stream below a WebSocket: a connection that has switched to it, or a stream of an HTTP/2 connection.
#pragma once

#include "net/output.hpp"

#include <cstddef>
#include <span>

namespace tern::websockets {

// On the loop's thread. Lives until it has notified its session by WebSocketSession::on_closed(), which it calls inside
// none of these.
class WebSocketTransport {
public:
  WebSocketTransport(const WebSocketTransport&) = delete;
  WebSocketTransport& operator=(const WebSocketTransport&) = delete;

  // Takes all of `output`, and monitors that the peer reads it.
  virtual void send(net::Output& output) = 0;
  // Bytes that have not been sent.
  virtual std::size_t unsent() const noexcept = 0;
  // Whether these wait for the peer, and not only for the end of the iteration.
  virtual bool waits() const noexcept = 0;
  // Sends now the output that only waits for the end of the iteration.
  virtual void push() = 0;

  // Presents nothing until resume(): unconsumed bytes are presented again then, though not during the call.
  virtual void pause() noexcept = 0;
  virtual void resume() = 0;
  virtual bool paused() const noexcept = 0;
  // Whether WebSocketSession::on_direct_receive() is called before bytes are presented, if the transport supports it.
  virtual void allow_direct_receive(bool) noexcept {}
  // The next frame is large: only its beginning is received at once, so that the rest can be received directly.
  virtual void expect_large(bool) noexcept {}
  // Inside of on_direct_receive(), as in net::Stream. `to` has at least tls::Session::room.
  virtual std::size_t receive_into(std::span<char>) { return 0; }
  // How many bytes of the peer are available and not received.
  virtual std::size_t arriving() const noexcept { return 0; }

  // Whether the server causes the peer's silence: its bytes are not read, or the ping has not reached it although it
  // reads the output. If it can be heard all the same, it must have been since the last call.
  virtual bool excuses_silence() = 0;

  // Whether bytes wait for the peer, and it has received some since the last call: it is alive, although its pong may
  // be behind all of them.
  virtual bool progresses() = 0;

  // The last bytes have been sent: ends the server's side, and closes when the peer has ended its own, or soon after.
  virtual void finish() = 0;
  // Closes at once.
  virtual void abort() = 0;

protected:
  WebSocketTransport() = default;
  ~WebSocketTransport() = default;
};

}  // namespace tern::websockets
