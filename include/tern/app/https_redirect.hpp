// Middleware that sends clients from http to https.
#pragma once

#include <tern/app/middleware.hpp>

#include <cstdint>
#include <string>

namespace tern {

// Answers a request that did not come over TLS with 308 and the same path and query at https; the others go on. For an
// app that is served at a plain and a TLS address at once.
struct HttpsRedirect {
  std::uint16_t port = 443;
  std::string host = {};  // where to; empty: the host that the client asked for, 400 where that is none

  Reply operator()(Request& request, Next next) const;
};

}  // namespace tern
