// Middleware against cross-site request forgery (CSRF), without tokens.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>

#include <string>
#include <vector>

namespace tern {

namespace web {
class OriginList;
}

// Refuses, with 403, requests that a page of another origin makes a browser send. For an app, a group or a route:
//
//   app.use(tern::CrossOriginProtection());
//
// GET, HEAD, OPTIONS and QUERY pass: handlers of safe methods must not change anything. Other requests pass if
// Sec-Fetch-Site is "same-origin" or "none"; if their Origin is trusted; if they have neither field, since they are not
// from a browser; and, without Sec-Fetch-Site, if host and port of Origin are those of the request. Behind a proxy that
// replaces Host, that last comparison takes X-Forwarded-Host if the proxy is trusted (ProxyOptions::trusted), and
// otherwise needs the public origins as trusted ones.
class CrossOriginProtection {
public:
  // `trusted`: other origins that may send requests: "https://example.org", "https://*.example.org". Throws SetupError
  // for one that is malformed.
  explicit CrossOriginProtection(std::vector<std::string> trusted = {});
  CrossOriginProtection(const CrossOriginProtection& other);
  CrossOriginProtection(CrossOriginProtection&& other) noexcept = default;
  CrossOriginProtection& operator=(CrossOriginProtection other) noexcept;

  Reply operator()(Request& request, Next next) const;
  void describe(Operation& operation) const;

private:
  base::Box<web::OriginList> trusted_;
};

}  // namespace tern
