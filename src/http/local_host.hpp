// Hosts that the public DNS cannot make lead to another address.
#pragma once

#include <string_view>

namespace tern::http {

// Whether the host of a request (host [":" port]) is an IP address, "localhost" or a name below it, or a name without
// dots, which only this network can have. True for a request without a host: browsers send one. A page of the Internet
// that lets its own name lead to a loopback address (DNS rebinding) has none of these.
bool is_local_host(std::string_view host) noexcept;

}  // namespace tern::http
