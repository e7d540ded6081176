// Middleware that serves clients by their addresses.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>

#include <string>
#include <vector>

namespace tern {

namespace web {
class AddressRules;
}

// Addresses ("192.0.2.1", "::1"), networks ("10.0.0.0/8", "2001:db8::/32"), or "unix" for the peers of Unix sockets.
struct AddressFilterOptions {
  std::vector<std::string> allow = {};  // empty: all
  std::vector<std::string> deny = {};   // also of those allowed
};

// For an app, a group or a route:
//
//   app.group("/admin").use(tern::AddressFilter({.allow = {"10.0.0.0/8", "::1"}, .deny = {"10.0.66.0/24"}}));
//
// Refuses other clients with 403. An IPv4-mapped IPv6 address is its IPv4 address. The address is Request::remote():
// behind a proxy, the client's only if the proxy is trusted (docs/guide/proxies.md), otherwise that of the proxy. What
// is not an address is refused.
class AddressFilter {
public:
  // Throws SetupError if both lists are empty, and for what is no address and no network, such as a name or
  // "10.0.0.1/8".
  explicit AddressFilter(const AddressFilterOptions& options);

  Reply operator()(Request& request, Next next) const;

private:
  base::Box<web::AddressRules> rules_;
};

}  // namespace tern
