// Selects the certificate for a server name (RFC 6066, section 3; RFC 9525, section 6.3).
#pragma once

#include "tls/openssl.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tern::tls {

class CertificateNames {
public:
  // Adds the names of `certificate`: its DNS names, or its common name if it has none. The first certificate with a
  // name keeps it.
  void add(const X509& certificate, std::size_t index);

  // The index of the certificate for exactly `host`, or with a wildcard as its first label; otherwise 0.
  std::size_t find(std::string_view host) const;

private:
  void add(std::string_view name, std::size_t index);

  std::unordered_map<std::string, std::size_t> names_;  // in lower case
};

}  // namespace tern::tls
