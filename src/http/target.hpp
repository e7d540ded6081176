// The request target (RFC 9112, section 3.2), checked as it stands: nothing is decoded here.
//
//   origin-form    = absolute-path [ "?" query ]          every method but CONNECT
//   absolute-form  = absolute-URI                         http and https, every method but CONNECT
//   authority-form = uri-host ":" port                    CONNECT
//   asterisk-form  = "*"                                  OPTIONS
//
// Any visible ASCII character but "#" passes in path and query: browsers send "[", "|" and the like as they are,
// although RFC 3986 would have them escaped. Percent escapes in the path are well-formed, and none of them is NUL.
#pragma once

#include <tern/http/request_head.hpp>

#include <cstdint>
#include <string_view>

namespace tern::http {

enum class TargetFault : std::uint8_t { None, Form, Byte, Fragment, Escape, Nul, Authority };

// Checks head.target, and fills what follows from it: its parts, and whether the path is a plain one.
TargetFault read_target(Method method, RequestHead& head) noexcept;

// Whether it has only bytes that a target may have.
bool is_visible(std::string_view target) noexcept;

}  // namespace tern::http
