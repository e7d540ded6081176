// A list of client addresses in options: addresses, networks, and "unix" for the peers of Unix sockets.
#pragma once

#include "base/ip_network.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

class AddressList {
public:
  // Throws SetupError, beginning with `owner`, for what is no address and no network.
  AddressList(const std::vector<std::string>& items, std::string_view owner);

  bool empty() const noexcept { return networks_.empty() && !unix_; }
  // `remote` is that of a request. What is not an address is not contained.
  bool contains(std::string_view remote) const noexcept;

private:
  std::vector<base::IpNetwork> networks_;
  bool unix_ = false;
};

// Whether the peer is that of a Unix socket.
bool is_unix_peer(std::string_view remote) noexcept;

}  // namespace tern::web
