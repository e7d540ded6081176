// The origin of a request behind trusted proxies: by Forwarded (RFC 7239) or by X-Forwarded-For and X-Forwarded-Proto.
//
// Each proxy appends the address of its client to the list. So the list is read from its end: as long as an address is
// that of a trusted proxy, the element before it is believed. Elements written by clients are further to the left, and
// are never reached.
#pragma once

#include "net/address.hpp"
#include "net/network.hpp"

#include <tern/http/fields.hpp>
#include <tern/http/forwarded_by.hpp>

#include <span>
#include <string_view>

namespace tern::proxy {

struct Origin {
  net::Address address;
  std::string_view scheme;  // "http" or "https"
  bool peer_is_trusted = false;
};

// `peer` and `scheme` are those of the connection; missing and malformed elements leave them, or those of the nearest
// known proxy, unchanged.
Origin origin_of(const RequestFields& fields, const net::Address& peer, std::string_view scheme,
                 std::span<const net::Network> trusted, ForwardedBy field);

}  // namespace tern::proxy
