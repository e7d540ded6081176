// A set of addresses: one, those of a network ("10.0.0.0/8", "2001:db8::/32"), or the peers of Unix sockets ("unix").
#pragma once

#include "net/address.hpp"

#include <optional>
#include <string_view>

namespace tern::net {

class Network {
public:
  // Bits behind the prefix have to be zero.
  static std::optional<Network> parse(std::string_view text);
  // Whatever its port.
  bool contains(const Address& address) const noexcept;

private:
  Address address_;
  unsigned prefix_ = 0;  // bits
};

}  // namespace tern::net
