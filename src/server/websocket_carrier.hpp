// What a WebSocket's bytes travel on: a connection that has switched to it, or a stream of an HTTP/2 connection.
#pragma once

#include "net/output.hpp"

#include <cstddef>
#include <span>

namespace tern::server {

// On the loop's thread. Lives until it has told its session of the end, by WebSocketSession::on_closed(), which it
// calls inside none of these.
class WebSocketCarrier {
public:
  WebSocketCarrier(const WebSocketCarrier&) = delete;
  WebSocketCarrier& operator=(const WebSocketCarrier&) = delete;

  // Takes all of `output`, and watches that the peer reads it.
  virtual void send(net::Output& output) = 0;
  // Bytes that have not left.
  virtual std::size_t unsent() const noexcept = 0;
  // Whether these have to wait for the peer, and are not about to leave by themselves.
  virtual bool waits() const noexcept = 0;
  // What only waits for the end of the iteration leaves now.
  virtual void push() = 0;

  // Nothing is presented any more, until resume(): what was not consumed comes again then, though not during the call.
  virtual void pause() noexcept = 0;
  virtual void resume() = 0;
  virtual bool paused() const noexcept = 0;
  // Whether WebSocketSession::on_direct_receive() is called, where the carrier can do that, before bytes are presented.
  virtual void allow_direct_receive(bool) noexcept {}
  // What is about to come is large: only its beginning is received at once, so that the rest can be taken.
  virtual void expect_large(bool) noexcept {}
  // Inside of on_direct_receive(), as net::Stream's. `to` has at least tls::Session::room.
  virtual std::size_t receive_into(std::span<char>) { return 0; }
  // How many bytes of the peer are there and not received.
  virtual std::size_t arriving() const noexcept { return 0; }

  // Whether the peer may be silent for no fault of its own: what it says is not read, or it has not been told what to
  // answer although it takes what we send. Where it can be heard all the same, it must have been since the last call.
  virtual bool silences() = 0;

  // Whether bytes wait for the peer, and it has taken some since the last call: it is there, although its pong may be
  // behind all of them.
  virtual bool progresses() = 0;

  // The last has been sent: ends our side, and all of it when the peer has ended its own, or soon after.
  virtual void finish() = 0;
  // Ends all of it at once.
  virtual void abort() = 0;

protected:
  WebSocketCarrier() = default;
  ~WebSocketCarrier() = default;
};

}  // namespace tern::server
