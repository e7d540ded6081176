// The two kinds of line that a request head is made of (RFC 9112, sections 3 and 5).
//
//   request-line = method SP request-target SP HTTP-version
//   field-line   = field-name ":" OWS field-value OWS
//
// Lines come from LineScanner: without their CRLF and free of control bytes but HTAB; it also knows where the token
// ends that they begin with.
#pragma once

#include "http1/facts.hpp"
#include "http1/fault.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/request_head.hpp>

#include <cstddef>
#include <string_view>

namespace tern::http1 {

// Why a request line that begins so, and does not end there, is too long: it is its target, unless the method has not
// come to its end (RFC 9112, section 3).
Fault why_too_long(std::string_view begin) noexcept;

// Puts method and version into `facts`, and what concerns the target into `head`.
Fault parse_request_line(std::string_view line, std::size_t method_end, RequestHead& head, Facts& facts) noexcept;

Fault why_not_a_field(std::string_view line, std::size_t name_end) noexcept;

inline Fault parse_field_line(std::string_view line, std::size_t name_end, Field& field) noexcept {
  if (name_end == 0 || name_end == line.size() || line[name_end] != ':') return why_not_a_field(line, name_end);
  field.name = line.substr(0, name_end);
  field.value = base::trim(line.substr(name_end + 1));
  return Fault::None;
}

}  // namespace tern::http1
