// What speaks on a connection in place of HTTP/1.1: HTTP/2, or what a 101 has switched to.
#pragma once

#include <tern/base/duration.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <system_error>

namespace tern::server {

// Belongs to the connection that has Connection::become() it, and reaches the peer through it: output() and flush(),
// stream(), finish(). On the loop's thread; the calls are those of net::StreamHandler.
class Protocol {
public:
  Protocol() = default;
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;
  virtual ~Protocol() = default;

  // Returns how many bytes, from the front, are done with.
  virtual std::size_t on_bytes(std::span<const char> bytes) = 0;
  // After stream().allow_direct_receive(true): whether it has taken bytes by itself.
  virtual bool on_direct_receive() { return false; }
  // The peer has ended its side.
  virtual void on_end() = 0;
  // What had to wait has been sent.
  virtual void on_sent() = 0;
  // How long the peer may take nothing of what waits for it; zero: this protocol has a timeout of its own. Nothing
  // where the least rate of answers holds.
  virtual std::optional<Milliseconds> patience() const { return std::nullopt; }
  // The last call; the protocol is destroyed behind it.
  virtual void on_closed(std::error_code why) = 0;
  // The server stops: to come to an end, by Connection::finish(). What has not when the time is over, is aborted.
  virtual void drain() = 0;
};

}  // namespace tern::server
