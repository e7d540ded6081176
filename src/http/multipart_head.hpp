// The head of a part of a form (RFC 7578, section 4): what its fields say.
//
//   content-disposition = "form-data" parameters      ; name, and filename of a file
//
// Names are quoted-strings in which browsers (the HTML standard, "multipart/form-data encoding algorithm") write a '"'
// as %22, CR as %0D and LF as %0A, and everything else as it is; others write '"' and '\' behind a '\'. Both are
// undone, no other escape is. filename* (RFC 5987) must not be sent, but what .NET sends beside filename, and with
// names beyond ASCII only there is it right: it is decoded and takes precedence, as RFC 6266, section 4.3, has it.
#pragma once

#include <tern/http/multipart_parser.hpp>

#include <expected>
#include <string_view>

namespace tern::multipart {

// Takes a field line, without its CRLF, into what is known of the part. Fields that RFC 7578, section 4.8, does not
// name are looked at for their syntax only.
std::expected<void, MultipartReject> read_field(std::string_view line, const MultipartLimits& limits, SeenFields& seen,
                                                MultipartPart& part);

}  // namespace tern::multipart
