#include <tern/web/allowed_hosts.hpp>

#include "web/origin.hpp"

#include <tern/app/app.hpp>
#include <tern/http/problem.hpp>

#include <algorithm>
#include <utility>

namespace tern {

AllowedHosts::AllowedHosts(std::vector<std::string> hosts) : hosts_(std::move(hosts)) {
  if (hosts_.empty()) throw SetupError("AllowedHosts: the list is empty, so that no request would be served");
  for (std::string& host : hosts_) {
    const std::string given = host;
    if (host.starts_with("*.")) host.erase(0, 1);
    const std::string_view bare = std::string_view(host).substr(host.starts_with('.') ? 1 : 0);
    const auto authority = web::parse_authority(bare, 0);
    if (!authority || authority->host.size() != bare.size()) {
      throw SetupError("AllowedHosts: '" + given +
                       "' is not a host: it has the form example.org, *.example.org, 192.0.2.1 or [2001:db8::1], "
                       "without scheme, port and path");
    }
  }
}

Reply AllowedHosts::operator()(Request& request, Next next) const {
  const auto authority = web::parse_authority(request.host(), 80);
  const bool allowed = authority && std::ranges::any_of(hosts_, [&authority](const std::string& host) {
                         return web::matches_host(host, authority->host);
                       });
  if (allowed) return next();
  return request.exchange().refuse(
      Problem{Status::MisdirectedRequest, "this server does not serve the requested host", {}, {}});
}

}  // namespace tern
