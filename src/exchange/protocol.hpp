// A protocol on a connection other than HTTP/1.1: HTTP/2, or the one that a 101 has switched to.
#pragma once

#include <tern/base/duration.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <system_error>

namespace tern::exchange {

// Belongs to the connection that has become() it, and reaches the peer through it: begin_writing() and flush(),
// stream(), finish(). On the loop's thread; the calls are those of net::StreamHandler.
class Protocol {
public:
  Protocol() = default;
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;
  virtual ~Protocol() = default;

  // Returns how many bytes, from the front, were consumed.
  virtual std::size_t on_bytes(std::span<const char> bytes) = 0;
  // After stream().allow_direct_receive(true): whether it has received bytes directly.
  virtual bool on_direct_receive() { return false; }
  // The peer has ended its side.
  virtual void on_end() = 0;
  // The queued output has been sent.
  virtual void on_sent() = 0;
  // How long the peer may read nothing of queued output; zero: this protocol has a timeout of its own. Unset if the
  // minimum rate of answers applies.
  virtual std::optional<Milliseconds> patience() const { return std::nullopt; }
  // The last call; the protocol is destroyed afterwards.
  virtual void on_closed(std::error_code why) = 0;
  // The server stops: end by Connection::finish(). Connections that are still open after the drain time are aborted.
  virtual void drain() = 0;
};

}  // namespace tern::exchange
