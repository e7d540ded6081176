// HTTP/2 on a connection, where this library was built with it (TERN_HTTP2).
#pragma once

#include "server/protocol.hpp"

#include <memory>
#include <string_view>

namespace tern::server {

class Connection;

// Whether there is HTTP/2 at all.
bool has_http2() noexcept;

// Whether a connection whose first bytes are these, which are no request, speaks HTTP/2 by prior knowledge (RFC 9113,
// section 3.3).
bool is_http2_preface(std::string_view bytes) noexcept;

// For Connection::become(): where TLS has agreed on "h2", before any byte; and at the preface. Only where has_http2().
std::unique_ptr<Protocol> make_http2(Connection& connection);

}  // namespace tern::server
