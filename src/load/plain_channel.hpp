// A TCP connection of a load client.
#pragma once

#include "load/channel.hpp"

#include <sys/socket.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tern::load {

// Owns its socket, which may be connecting still. Never blocks.
class PlainChannel {
public:
  PlainChannel() noexcept = default;
  explicit PlainChannel(int socket) noexcept : socket_(socket) {}
  PlainChannel(PlainChannel&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  PlainChannel& operator=(PlainChannel&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~PlainChannel() {
    if (socket_ >= 0) ::close(socket_);
  }

  int descriptor() const noexcept { return socket_; }

  // Why the last call has failed; empty if it is unknown.
  std::string failure() const { return errno != 0 ? std::strerror(errno) : ""; }

  Moved send(std::string_view bytes) noexcept {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return {static_cast<std::size_t>(sent), Waits::None};
    return {0, errno == EAGAIN ? Waits::ToWrite : Waits::Broken};
  }

  Moved receive(std::span<char> buffer) noexcept {
    const ssize_t received = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (received > 0) return {static_cast<std::size_t>(received), Waits::None};
    if (received == 0) return {0, Waits::Closed};
    return {0, errno == EAGAIN ? Waits::ToRead : Waits::Broken};
  }

private:
  int socket_ = -1;
};

}  // namespace tern::load
