// IP addresses and networks: "10.0.0.0/8", "2001:db8::/32".
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace tern::base {

// An IPv6 address in network order. An IPv4 address is its IPv4-mapped one (RFC 4291, section 2.5.5.2), so that
// "192.0.2.1" and "::ffff:192.0.2.1" are the same.
struct IpAddress {
  std::array<unsigned char, 16> bytes{};

  // Without brackets, port and zone. Names are not addresses.
  static std::optional<IpAddress> parse(std::string_view text) noexcept;
  // From four or sixteen bytes in network order.
  static IpAddress from(std::span<const unsigned char> bytes) noexcept;

  bool is_ipv4() const noexcept;
  friend bool operator==(const IpAddress&, const IpAddress&) noexcept = default;
};

// The addresses with a common prefix.
class IpNetwork {
public:
  // An address, or one with the length of its prefix. Bits behind the prefix have to be zero.
  static std::optional<IpNetwork> parse(std::string_view text) noexcept;

  // "0.0.0.0/0" contains all IPv4 addresses, "::/0" all IPv6 addresses, neither those of the other.
  bool contains(const IpAddress& address) const noexcept;

private:
  IpAddress address_;
  unsigned prefix_ = 0;  // bits of the 128
  bool ipv4_ = false;
};

}  // namespace tern::base
