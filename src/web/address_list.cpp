#include "web/address_list.hpp"

#include <tern/app/app.hpp>

#include <algorithm>

namespace tern::web {

AddressList::AddressList(const std::vector<std::string>& items, std::string_view owner) {
  for (const std::string& item : items) {
    if (item == "unix") {
      unix_ = true;
      continue;
    }
    const auto network = base::IpNetwork::parse(item);
    if (!network) {
      throw SetupError(
          std::string(owner) + ": '" + item +
          "' is not an address or a network such as \"10.0.0.0/8\", whose bits behind the prefix are zero");
    }
    networks_.push_back(*network);
  }
}

bool AddressList::contains(std::string_view remote) const noexcept {
  if (is_unix_peer(remote)) return unix_;
  const auto address = base::IpAddress::parse(remote);
  return address && std::ranges::any_of(networks_, [&](const auto& network) { return network.contains(*address); });
}

bool is_unix_peer(std::string_view remote) noexcept {
  return remote.starts_with("unix");
}

}  // namespace tern::web
