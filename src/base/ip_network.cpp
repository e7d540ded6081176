#include "base/ip_network.hpp"

#include <tern/base/number.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <algorithm>
#include <cstddef>

namespace tern::base {
namespace {

constexpr std::array<unsigned char, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// Whether two addresses agree in their first `bits`.
bool agree(const IpAddress& one, const IpAddress& other, unsigned bits) noexcept {
  const std::size_t whole = bits / 8;
  const auto end = one.bytes.begin() + static_cast<std::ptrdiff_t>(whole);
  if (!std::equal(one.bytes.begin(), end, other.bytes.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || (one.bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) noexcept {
  char terminated[INET6_ADDRSTRLEN];
  if (text.size() >= sizeof terminated || text.find('\0') != text.npos) return std::nullopt;
  terminated[text.copy(terminated, sizeof terminated - 1)] = '\0';
  std::array<unsigned char, 16> bytes{};
  if (::inet_pton(AF_INET, terminated, bytes.data()) == 1) return from(std::span(bytes).first(4));
  if (::inet_pton(AF_INET6, terminated, bytes.data()) == 1) return from(bytes);
  return std::nullopt;
}

IpAddress IpAddress::from(std::span<const unsigned char> bytes) noexcept {
  IpAddress address;
  const std::size_t size = std::min(bytes.size(), address.bytes.size());
  auto out = address.bytes.begin();
  if (size == 4) out = std::ranges::copy(mapped_prefix, out).out;
  std::ranges::copy(bytes.first(size), out);
  return address;
}

bool IpAddress::is_ipv4() const noexcept {
  return std::equal(mapped_prefix.begin(), mapped_prefix.end(), bytes.begin());
}

std::optional<IpNetwork> IpNetwork::parse(std::string_view text) noexcept {
  constexpr unsigned all_bits = 128;
  constexpr unsigned mapped_bits = 8 * mapped_prefix.size();
  const std::size_t slash = text.find('/');
  const std::string_view host = text.substr(0, slash);
  const auto address = IpAddress::parse(host);
  if (!address) return std::nullopt;
  IpNetwork network;
  network.address_ = *address;
  network.ipv4_ = address->is_ipv4();
  network.prefix_ = all_bits;
  if (slash != text.npos) {
    const unsigned before = host.find(':') == host.npos ? mapped_bits : 0;  // bits that the text does not count
    const auto prefix = parse_integer<unsigned>(text.substr(slash + 1));
    if (!prefix || *prefix > all_bits - before) return std::nullopt;
    network.prefix_ = before + *prefix;
    if (network.prefix_ < mapped_bits) network.ipv4_ = false;
  }
  for (unsigned bit = network.prefix_; bit < all_bits; ++bit) {
    if ((address->bytes[bit / 8] >> (7 - bit % 8) & 1U) != 0) return std::nullopt;
  }
  return network;
}

bool IpNetwork::contains(const IpAddress& address) const noexcept {
  return address.is_ipv4() == ipv4_ && agree(address, address_, prefix_);
}

}  // namespace tern::base
