// The two kinds of line in a request head (RFC 9112, sections 3 and 5).
//
//   request-line = method SP request-target SP HTTP-version
//   field-line   = field-name ":" OWS field-value OWS
//
// Lines come from LineScanner: without CRLF and without control bytes except HTAB, and with the end of their first
// token.
#pragma once

#include "http1/fault.hpp"
#include "http1/framing.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/request_head.hpp>

#include <cstddef>
#include <string_view>

namespace tern::http1 {

// The fault of an incomplete request line that is too long: the target's, or the method's if that has not ended (RFC
// 9112, section 3).
Fault request_line_length_fault(std::string_view begin) noexcept;

// Writes method and version to `framing`, and the target to `head`.
Fault parse_request_line(std::string_view line, std::size_t method_end, RequestHead& head, Framing& framing) noexcept;

Fault field_line_fault(std::string_view line, std::size_t name_end) noexcept;

inline Fault parse_field_line(std::string_view line, std::size_t name_end, Field& field) noexcept {
  if (name_end == 0 || name_end == line.size() || line[name_end] != ':') return field_line_fault(line, name_end);
  field.name = line.substr(0, name_end);
  field.value = base::trim(line.substr(name_end + 1));
  return Fault::None;
}

}  // namespace tern::http1
