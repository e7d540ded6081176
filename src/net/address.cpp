#include "net/address.hpp"

#include <tern/base/number.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <algorithm>
#include <cstring>

namespace tern::net {
namespace {

constexpr std::array<unsigned char, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

std::optional<Address> Address::parse(std::string_view host, std::uint16_t port) {
  if (host == "localhost") host = "127.0.0.1";
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  char text[INET6_ADDRSTRLEN];
  if (host.size() >= sizeof text || host.find('\0') != host.npos) return std::nullopt;
  text[host.copy(text, sizeof text - 1)] = '\0';

  Address address;
  address.port_ = port;
  if (::inet_pton(AF_INET, text, address.bytes_.data()) == 1) {
    address.family_ = Family::Inet;
  } else if (::inet_pton(AF_INET6, text, address.bytes_.data()) == 1) {
    address.family_ = Family::Inet6;
  } else {
    return std::nullopt;
  }
  return address;
}

Address Address::unix_socket() noexcept {
  Address address;
  address.family_ = Family::Unix;
  return address;
}

Address Address::from(const sockaddr_storage& system) noexcept {
  Address address;
  if (system.ss_family == AF_INET) {
    sockaddr_in inet;
    std::memcpy(&inet, &system, sizeof inet);
    address.family_ = Family::Inet;
    address.port_ = ntohs(inet.sin_port);
    std::memcpy(address.bytes_.data(), &inet.sin_addr, 4);
  } else if (system.ss_family == AF_INET6) {
    sockaddr_in6 inet6;
    std::memcpy(&inet6, &system, sizeof inet6);
    return from(std::span<const unsigned char>(inet6.sin6_addr.s6_addr), ntohs(inet6.sin6_port));
  } else if (system.ss_family == AF_UNIX) {
    address.family_ = Family::Unix;
  }
  return address;
}

Address Address::from(std::span<const unsigned char> bytes, std::uint16_t port) noexcept {
  Address address;
  address.port_ = port;
  if (bytes.size() == 16 && std::equal(mapped_prefix.begin(), mapped_prefix.end(), bytes.begin())) {
    bytes = bytes.subspan(mapped_prefix.size());
  }
  address.family_ = bytes.size() == 4 ? Family::Inet : Family::Inet6;
  std::memcpy(address.bytes_.data(), bytes.data(), std::min(bytes.size(), address.bytes_.size()));
  return address;
}

Address Address::with_port(std::uint16_t port) const noexcept {
  Address address = *this;
  address.port_ = port;
  return address;
}

bool Address::is_loopback() const noexcept {
  if (family_ == Family::Inet) return bytes_[0] == 127;
  if (family_ != Family::Inet6) return family_ == Family::Unix;
  return bytes_[15] == 1 && std::all_of(bytes_.begin(), bytes_.end() - 1, [](unsigned char byte) { return byte == 0; });
}

std::string Address::host() const {
  if (family_ == Family::None) return {};
  if (family_ == Family::Unix) return "unix";
  if (family_ == Family::Inet) {  // inet_ntop() is printf(): 1,500 instructions, for each line of an access log
    std::string text;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i != 0) text += '.';
      base::append_integer(text, static_cast<unsigned>(bytes_[i]));
    }
    return text;
  }
  char text[INET6_ADDRSTRLEN];
  if (::inet_ntop(AF_INET6, bytes_.data(), text, sizeof text) == nullptr) return {};
  return text;
}

std::string Address::to_string() const {
  std::string text = host();
  if (family_ == Family::Inet6) text = '[' + text + ']';
  if (family_ == Family::Inet || family_ == Family::Inet6) {
    text += ':';
    base::append_integer(text, port_);
  }
  return text;
}

unsigned Address::to(sockaddr_storage& system) const noexcept {
  system = {};
  if (family_ == Family::Inet) {
    sockaddr_in inet{};
    inet.sin_family = AF_INET;
    inet.sin_port = htons(port_);
    std::memcpy(&inet.sin_addr, bytes_.data(), 4);
    std::memcpy(&system, &inet, sizeof inet);
    return sizeof inet;
  }
  if (family_ == Family::Inet6) {
    sockaddr_in6 inet6{};
    inet6.sin6_family = AF_INET6;
    inet6.sin6_port = htons(port_);
    std::memcpy(&inet6.sin6_addr, bytes_.data(), 16);
    std::memcpy(&system, &inet6, sizeof inet6);
    return sizeof inet6;
  }
  return 0;
}

}  // namespace tern::net
