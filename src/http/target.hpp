// Validates the request target (RFC 9112, section 3.2) without decoding it.
//
//   origin-form    = absolute-path [ "?" query ]          every method but CONNECT
//   absolute-form  = absolute-URI                         http and https, every method but CONNECT
//   authority-form = uri-host ":" port                    CONNECT
//   asterisk-form  = "*"                                  OPTIONS
//
// Path and query may contain any visible ASCII character except "#": browsers send "[", "|" and the like unescaped,
// contrary to RFC 3986. Percent escapes in the path must be well-formed, and not NUL.
#pragma once

#include <tern/http/request_head.hpp>

#include <cstdint>
#include <string_view>

namespace tern::http {

enum class TargetFault : std::uint8_t { None, Form, Byte, Fragment, Escape, Nul, Authority };

// Validates head.target, and sets its components and whether the path is plain.
TargetFault read_target(Method method, RequestHead& head) noexcept;

// Whether all bytes are allowed in a target.
bool is_visible(std::string_view target) noexcept;

}  // namespace tern::http
