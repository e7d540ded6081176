// Which certificate answers for which name (RFC 6066, section 3; RFC 9525, section 6.3).
#pragma once

#include "tls/openssl.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tern::tls {

class Names {
public:
  // Everything that `certificate` is for: its DNS names, or, where it has none, its common name. The first certificate
  // that has a name keeps it.
  void add(const X509& certificate, std::size_t index);

  // Of the certificate for exactly `host`, else of one with an asterisk in place of its first label, else 0.
  std::size_t find(std::string_view host) const;

private:
  void add(std::string_view name, std::size_t index);

  std::unordered_map<std::string, std::size_t> names_;  // in lower case
};

}  // namespace tern::tls
