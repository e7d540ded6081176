// Origins (RFC 6454) and patterns for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

// The parts of "https://example.org:8443". Views into the parsed text.
struct Origin {
  std::string_view scheme;
  std::string_view host;   // an IPv6 address with its brackets
  std::uint16_t port = 0;  // also if it is the default of the scheme
};

// Unset for "null", and for anything that is not exactly scheme://host[:port] with http or https, in any case.
std::optional<Origin> parse_origin(std::string_view text) noexcept;

// Host and port, as in the Host field; the port is `default_port` if there is none. Unset if it is malformed.
struct Authority {
  std::string_view host;
  std::uint16_t port = 0;
};
std::optional<Authority> parse_authority(std::string_view text, std::uint16_t default_port) noexcept;

// 443 for https, 80 for http.
std::uint16_t default_port(std::string_view scheme) noexcept;

// Whether `host` is `pattern`, or, if that begins with a dot, one of its subdomains.
bool matches_host(std::string_view pattern, std::string_view host) noexcept;

// A list of origins: exact ones, and "https://*.example.org" for the subdomains of a host.
class OriginList {
public:
  // Throws SetupError for one that is malformed; `option` is the beginning of its message.
  OriginList(const std::vector<std::string>& origins, std::string_view option);

  bool contains(std::string_view origin) const noexcept;
  bool empty() const noexcept { return entries_.empty(); }

private:
  struct Entry {
    std::string scheme;
    std::string host;  // in lower case; with a leading dot for the subdomains
    std::uint16_t port;
  };
  std::vector<Entry> entries_;
};

}  // namespace tern::web
