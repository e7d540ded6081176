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

#include <tern/http/fields.hpp>

#include <cstddef>
#include <string_view>

namespace tern::http1 {

// Puts method and version into `facts`.
Fault parse_request_line(std::string_view line, std::size_t method_end, std::string_view& target,
                         Facts& facts) noexcept;

Fault parse_field_line(std::string_view line, std::size_t name_end, Field& field) noexcept;

}  // namespace tern::http1
