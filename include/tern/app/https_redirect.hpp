// Middleware that redirects clients from http to https.
#pragma once

#include <tern/app/middleware.hpp>

#include <cstdint>
#include <string>

namespace tern {

// Redirects a request without TLS with 308 to the same path and query at https; passes others on. For an app with both
// plain and TLS listeners.
struct HttpsRedirect {
  std::uint16_t port = 443;
  std::string host = {};  // target; empty: the requested host, 400 if there is none

  Reply operator()(Request& request, Next next) const;
};

}  // namespace tern
