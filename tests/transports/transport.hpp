// The transports of this folder's tests; each test runs over each of them.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

namespace tern::testing {

enum class Transport : std::uint8_t { Http1, Https1, H2c, H2 };

constexpr bool is_secure(Transport transport) {
  return transport == Transport::Https1 || transport == Transport::H2;
}
constexpr bool is_http2(Transport transport) {
  return transport == Transport::H2c || transport == Transport::H2;
}
constexpr const char* name_of(Transport transport) {
  switch (transport) {
    case Transport::Http1: return "http1";
    case Transport::Https1: return "https1";
    case Transport::H2c: return "h2c";
    case Transport::H2: return "h2";
  }
  return "";
}

inline std::ostream& operator<<(std::ostream& out, Transport transport) {
  return out << name_of(transport);
}

// Those of this build.
std::vector<Transport> transports();

}  // namespace tern::testing
