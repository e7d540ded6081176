#include "net/network.hpp"

#include <tern/base/number.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace tern::net {
namespace {

// Whether two addresses agree in their first `bits`.
bool agree(std::span<const unsigned char> one, std::span<const unsigned char> other, unsigned bits) noexcept {
  const std::size_t whole = bits / 8;
  if (!std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(whole), other.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || (one[whole] ^ other[whole]) >> (8 - rest) == 0;
}

}  // namespace

std::optional<Network> Network::parse(std::string_view text) {
  Network network;
  if (text == "unix") {
    network.address_ = Address::unix_socket();
    return network;
  }
  const std::size_t slash = text.find('/');
  const std::optional<Address> address = Address::parse(text.substr(0, slash), 0);
  if (!address) return std::nullopt;
  const unsigned most = static_cast<unsigned>(8 * address->bytes().size());
  network.prefix_ = most;
  if (slash != std::string_view::npos) {
    const auto prefix = base::parse_integer<unsigned>(text.substr(slash + 1));
    if (!prefix || *prefix > most) return std::nullopt;
    network.prefix_ = *prefix;
  }
  const auto bytes = address->bytes();
  for (unsigned bit = network.prefix_; bit < most; ++bit) {
    if ((bytes[bit / 8] >> (7 - bit % 8) & 1U) != 0) return std::nullopt;
  }
  network.address_ = *address;
  return network;
}

bool Network::contains(const Address& address) const noexcept {
  return address.family() == address_.family() && agree(address.bytes(), address_.bytes(), prefix_);
}

}  // namespace tern::net
