// The opening handshake (RFC 6455, section 4.2; over HTTP/2, RFC 8441, section 5): whether a request may become a
// WebSocket, and what the 101, or the 200, says.
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

// What a route allows. The texts are read during shake() only.
struct HandshakeRules {
  std::span<const std::string> protocols = {};  // in the order of preference
  // Origins beside the server's own, such as "https://example.org"; "*" allows all of them.
  std::span<const std::string> origins = {};
  DeflateWishes deflate = {};
};

struct Handshake {
  std::optional<DeflateTerms> deflate;
  std::string protocol;  // empty: none was agreed upon
};

// Adds to `fields` what the answer has beside Upgrade and Connection. That an HTTP/2 request asks for "websocket" by
// its
// `:protocol` has been seen to. The problem of a refusal has the fields that belong
// to it: 426 names Upgrade and Sec-WebSocket-Version.
//   400  malformed        403  an origin that is not allowed
//   405  not a GET        426  no handshake at all, or of another version (over HTTP/2, these are 400)
std::expected<Handshake, Problem> shake(const Request& request, const HandshakeRules& rules, Fields& fields);

// What Sec-WebSocket-Accept answers to a key.
std::string accept_of(std::string_view key);

// Whether a page of `origin` may connect to `host`: browsers send the origin, and it is compared without its scheme,
// which a proxy may have changed; what sends none is no browser. Default ports are left out of the comparison.
bool is_allowed_origin(std::string_view origin, std::string_view host, std::span<const std::string> allowed) noexcept;

}  // namespace tern::websocket
