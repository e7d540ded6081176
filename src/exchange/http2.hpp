// HTTP/2 on a connection, if this library was built with it (TERN_HTTP2).
#pragma once

#include "exchange/protocol.hpp"

#include <memory>
#include <string_view>

namespace tern::exchange {

class Connection;

// Whether HTTP/2 is available.
bool has_http2() noexcept;

// Whether these first bytes, which are no request, begin HTTP/2 by prior knowledge (RFC 9113, section 3.3).
bool is_http2_preface(std::string_view bytes) noexcept;

// For Connection::become(): after TLS has negotiated "h2", before any byte; and at the preface. Only if has_http2().
std::unique_ptr<Protocol> make_http2(Connection& connection);

}  // namespace tern::exchange
