#include "net/network.hpp"

namespace tern::net {

std::optional<Network> Network::parse(std::string_view text) {
  Network network;
  if (text == "unix") return network;
  if (text == "localhost") text = "127.0.0.1";
  network.addresses_ = base::IpNetwork::parse(text);
  if (!network.addresses_) return std::nullopt;
  return network;
}

bool Network::contains(const Address& address) const noexcept {
  if (!addresses_) return address.family() == Address::Family::Unix;
  return !address.bytes().empty() && addresses_->contains(base::IpAddress::from(address.bytes()));
}

}  // namespace tern::net
