// The authority of RFC 3986, section 3.2, without user information, as in Host and some targets.
//
//   uri-host [ ":" port ]        RFC 9110, section 7.2
//   uri-host   = IP-literal / IPv4address / reg-name
//   IP-literal = "[" ( IPv6address / IPvFuture ) "]"
//   reg-name   = *( unreserved / pct-encoded / sub-delims )      not empty for http URIs (RFC 9110, 4.2.1)
//   port       = *DIGIT                                          at most 65535
#pragma once

#include <string_view>

namespace tern::http {

bool is_authority(std::string_view text) noexcept;

// The target of CONNECT: the port is required.
bool is_authority_with_port(std::string_view text) noexcept;

}  // namespace tern::http
