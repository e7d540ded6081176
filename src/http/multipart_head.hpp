// The head of a form's part (RFC 7578, section 4).
//
//   content-disposition = "form-data" parameters      ; name, and filename of a file
//
// Names are quoted-strings. Browsers (the HTML standard, "multipart/form-data encoding algorithm") encode '"' as %22,
// CR as %0D and LF as %0A, and nothing else; other clients escape '"' and '\' with '\'. Both are decoded, other escapes
// are not. filename* (RFC 5987) must not be sent, but .NET sends it besides filename, and only filename* is right for
// names beyond ASCII: it is decoded and takes precedence, as in RFC 6266, section 4.3.
#pragma once

#include <tern/http/multipart_parser.hpp>

#include <expected>
#include <string_view>

namespace tern::multipart {

// Adds a field line, without its CRLF, to the part. Fields that RFC 7578, section 4.8, does not name are only checked
// for their syntax.
std::expected<void, MultipartReject> read_field(std::string_view line, const MultipartLimits& limits, SeenFields& seen,
                                                MultipartPart& part);

}  // namespace tern::multipart
