// Sockets that listen: found to be free, bound, and shared out to the loops.
#pragma once

#include "net/address.hpp"
#include "net/descriptor.hpp"
#include "net/error.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace tern::net {

struct ListenOptions {
  std::string host = "127.0.0.1";  // an address as Address::parse takes it; "::" also serves IPv4
  std::uint16_t port = 8080;       // 0: one that is free
  std::string path = {};           // of a Unix socket; when set, host and port do not count
  int backlog = 4096;              // the kernel caps it at net.core.somaxconn
  bool share_port = false;         // with other processes of this user that do the same, too
};

// Removes a Unix socket's file when the last of the sockets that share it is gone.
class SocketFile;

struct ListenSocket {
  Descriptor descriptor;
  Address address;   // with the real port
  std::string name;  // "127.0.0.1:8080", "[::1]:8080" or "unix:/run/tern.sock"
  std::shared_ptr<SocketFile> file = nullptr;
  bool is_shared = false;  // other loops listen on the same socket: one of them is woken for a connection, not all
};

// `count` listening sockets of one address, one for each loop: for TCP with SO_REUSEPORT, so that the kernel spreads
// the connections; for Unix the same socket again. A port or path that is in use is an error, unless
// ports are shared; a stale file of a Unix socket is replaced.
std::expected<std::vector<ListenSocket>, Error> listen(const ListenOptions& options, std::size_t count = 1);

}  // namespace tern::net
