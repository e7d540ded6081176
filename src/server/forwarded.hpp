// Who a request comes from, when trusted proxies stand between: by Forwarded (RFC 7239) or by X-Forwarded-For and
// X-Forwarded-Proto.
//
// Each proxy adds at the end of the list whom it was asked by. So the list is read from its end: as long as an address
// is that of a trusted proxy, what it said about the one before it is believed. What clients have written stands
// further to the left, and is never reached.
#pragma once

#include "net/address.hpp"
#include "net/network.hpp"

#include <tern/http/fields.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace tern::server {

enum class ForwardedField : std::uint8_t { XForwarded, Forwarded };

struct Origin {
  net::Address address;
  std::string_view scheme;  // "http" or "https"
};

// `peer` and `scheme` are those of the connection; what is not told, or malformed, leaves them, or those of the nearest
// proxy that is known, as they are.
Origin origin_of(const RequestFields& fields, const net::Address& peer, std::string_view scheme,
                 std::span<const net::Network> trusted, ForwardedField field);

}  // namespace tern::server
