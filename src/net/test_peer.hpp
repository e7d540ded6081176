// For the tests of this room: the other end of a connection, with plain blocking sockets that give up after a while.
#pragma once

#include "net/address.hpp"
#include "net/descriptor.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace tern::net {

// Bytes in which what is lost, doubled or out of order shows.
inline std::string varied_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 2'654'435'761U) >> 13);
  return bytes;
}

class Peer {
public:
  static constexpr int patience = 20'000;  // milliseconds; reached only by a failing test

  Peer() = default;
  explicit Peer(Descriptor socket) : socket_(std::move(socket)) {}

  static Peer connect(const Address& address, int receive_buffer = 0) {
    sockaddr_storage system;
    const socklen_t length = address.to(system);
    Peer peer{Descriptor(::socket(system.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0))};
    if (receive_buffer != 0) {
      ::setsockopt(peer.number(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    if (::connect(peer.number(), reinterpret_cast<const sockaddr*>(&system), length) != 0) peer.socket_.reset();
    return peer;
  }

  static Peer connect(const std::string& path) {
    sockaddr_un system{};
    system.sun_family = AF_UNIX;
    path.copy(system.sun_path, sizeof system.sun_path - 1);
    Peer peer{Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))};
    if (::connect(peer.number(), reinterpret_cast<const sockaddr*>(&system), sizeof system) != 0) peer.socket_.reset();
    return peer;
  }

  explicit operator bool() const { return static_cast<bool>(socket_); }
  int number() const { return socket_.number(); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // At most `most` bytes; nothing at the end, after a reset (`error()` tells) or when patience is at an end.
  std::string receive_some(std::size_t most = 65'536) {
    pollfd ready{.fd = number(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, patience) != 1) {
      ADD_FAILURE() << "nothing arrives";
      return {};
    }
    std::string bytes(most, '\0');
    const ssize_t count = ::recv(number(), bytes.data(), bytes.size(), 0);
    error_ = count < 0 ? errno : 0;
    bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return bytes;
  }

  std::string receive(std::size_t count) {
    std::string bytes;
    while (bytes.size() < count) {
      const std::string some = receive_some(count - bytes.size());
      if (some.empty()) break;
      bytes += some;
    }
    return bytes;
  }

  std::string receive_all() {
    std::string bytes;
    for (std::string some = receive_some(); !some.empty(); some = receive_some()) bytes += some;
    return bytes;
  }

  void shutdown_write() { ::shutdown(number(), SHUT_WR); }
  void close() { socket_.reset(); }
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  int error() const { return error_; }

private:
  Descriptor socket_;
  int error_ = 0;
};

// Two ends of a Unix connection: a peer, and a descriptor for a stream.
inline std::pair<Peer, Descriptor> connected_pair() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
  Peer peer{Descriptor(ends[0])};
  return {std::move(peer), Descriptor(ends[1])};
}

}  // namespace tern::net
