// The opening handshake (RFC 6455, section 4.2; over HTTP/2: RFC 8441, section 5): validates the request, and
// negotiates the subprotocol and extensions.
#pragma once

#include "websocket/extension.hpp"

#include <tern/http/fields.hpp>
#include <tern/http/problem.hpp>
#include <tern/http/request.hpp>

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tern::websocket {

// The rules of a route. The views are read during negotiate() only.
struct HandshakeRules {
  std::span<const std::string> protocols = {};  // in the order of preference
  // Allowed origins besides the server's own, such as "https://example.org"; "*" allows all.
  std::span<const std::string> origins = {};
  DeflateConfig deflate = {};
};

struct Handshake {
  std::optional<DeflateParameters> deflate;
  std::string protocol;  // empty: none was negotiated
};

// Adds the negotiated fields to those of the response, except Upgrade and Connection. The caller has checked that an
// HTTP/2 request has the `:protocol` "websocket". The problem of a rejection has its fields: 426 has Upgrade and
// Sec-WebSocket-Version.
//   400  malformed        403  the origin is not allowed
//   405  not a GET        426  no handshake at all, or another version (over HTTP/2, these are 400)
std::expected<Handshake, Problem> negotiate(const Request& request, const HandshakeRules& rules, Fields& fields);

// Sec-WebSocket-Accept for a key.
std::string accept_key(std::string_view key);

// Whether a page of `origin` may connect to `host`. Browsers send the origin; a client that sends none is no browser
// and is allowed. The scheme is not compared, because a proxy may have changed it, and default ports are ignored.
bool is_allowed_origin(std::string_view origin, std::string_view host, std::span<const std::string> allowed) noexcept;

}  // namespace tern::websocket
