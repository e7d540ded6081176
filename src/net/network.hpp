// A set of addresses: one, those of a network ("10.0.0.0/8", "2001:db8::/32"), or the peers of Unix sockets ("unix").
#pragma once

#include "base/ip_network.hpp"
#include "net/address.hpp"

#include <optional>
#include <string_view>

namespace tern::net {

class Network {
public:
  // Bits behind the prefix have to be zero. "localhost" is the IPv4 loopback.
  static std::optional<Network> parse(std::string_view text);
  // Whatever its port.
  bool contains(const Address& address) const noexcept;

private:
  std::optional<base::IpNetwork> addresses_;  // unset: Unix sockets
};

}  // namespace tern::net
