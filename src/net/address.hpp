// The address of one end of a connection: IPv4, IPv6, or "a Unix socket" (whose peers have no name).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sockaddr_storage;

namespace tern::net {

class Address {
public:
  enum class Family : std::uint8_t { None, Inet, Inet6, Unix };

  constexpr Address() noexcept = default;

  // "127.0.0.1", "::1", "[::1]" or "localhost" (the IPv4 loopback). Names are not looked up: that would block.
  static std::optional<Address> parse(std::string_view host, std::uint16_t port);
  static Address unix_socket() noexcept;
  // From the kernel's form. An IPv4 peer of an IPv6 socket (::ffff:a.b.c.d) becomes what it is: IPv4.
  static Address from(const sockaddr_storage& system) noexcept;
  // From four or sixteen bytes in network order; the latter may be an IPv4 address, as above.
  static Address from(std::span<const unsigned char> bytes, std::uint16_t port) noexcept;

  Family family() const noexcept { return family_; }
  std::uint16_t port() const noexcept { return port_; }
  // In network order: four of IPv4, sixteen of IPv6, none of others.
  std::span<const unsigned char> bytes() const noexcept {
    const std::size_t size = family_ == Family::Inet ? 4 : family_ == Family::Inet6 ? 16 : 0;
    return std::span(bytes_).first(size);
  }
  Address with_port(std::uint16_t port) const noexcept;
  bool is_loopback() const noexcept;

  // "127.0.0.1", "::1" or "unix".
  std::string host() const;
  // "127.0.0.1:8080", "[::1]:8080" or "unix".
  std::string to_string() const;

  // Writes the kernel's form and returns its length; for IPv4 and IPv6 only.
  unsigned to(sockaddr_storage& system) const noexcept;

  friend bool operator==(const Address&, const Address&) noexcept = default;

private:
  std::array<unsigned char, 16> bytes_{};  // in network order; IPv4 uses the first four
  std::uint16_t port_ = 0;
  Family family_ = Family::None;
};

}  // namespace tern::net
