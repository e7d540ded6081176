// Middleware that serves only known hosts.
#pragma once

#include <tern/app/middleware.hpp>

#include <string>
#include <vector>

namespace tern {

// Refuses requests for other hosts with 421 (RFC 9110, section 15.5.20): against DNS rebinding, where a page of the
// Internet reaches a service on this machine by a name of its own, and against links made of a forged Host.
//
//   app.use(tern::AllowedHosts({"example.org", "*.example.org", "localhost", "127.0.0.1", "[::1]"}));
//
// "*.example.org" stands for all subdomains. Ports are not compared. Case does not matter.
class AllowedHosts {
public:
  static constexpr bool checks_host = true;  // an app on a loopback address serves other hosts than its own, too

  // Throws SetupError for an empty list, and for what is not a host: with a scheme, a port or a path.
  explicit AllowedHosts(std::vector<std::string> hosts);

  Reply operator()(Request& request, Next next) const;

private:
  std::vector<std::string> hosts_;  // a leading dot stands for subdomains
};

}  // namespace tern
