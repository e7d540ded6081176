// Why a form is rejected: every fault of the multipart parser, with its status and text.
#pragma once

#include <tern/http/multipart_parser.hpp>
#include <tern/http/status.hpp>

namespace tern::multipart::fault {

// Content-Type
inline constexpr MultipartReject media_type{Status::UnsupportedMediaType, "the content is not multipart/form-data"};
inline constexpr MultipartReject type_parameters{Status::BadRequest,
                                                 "a parameter of Content-Type is malformed (RFC 9110, 5.6.6)"};
inline constexpr MultipartReject no_boundary{Status::BadRequest,
                                             "Content-Type announces no boundary (RFC 2046, 5.1.1)"};
inline constexpr MultipartReject two_boundaries{Status::BadRequest, "Content-Type announces more than one boundary"};
inline constexpr MultipartReject boundary_syntax{
    Status::BadRequest, "the boundary is not 1 to 70 of the characters it may have (RFC 2046, 5.1.1)"};

// around the parts
inline constexpr MultipartReject no_part{Status::BadRequest, "the content has no line with the announced boundary"};
inline constexpr MultipartReject truncated{Status::BadRequest, "the form ends before its last boundary"};
inline constexpr MultipartReject preamble{Status::BadRequest, "too many bytes before the first boundary"};
inline constexpr MultipartReject epilogue{Status::BadRequest, "too many bytes behind the last boundary"};
inline constexpr MultipartReject boundary_line{
    Status::BadRequest, "a boundary is followed by more than the end of its line (RFC 2046, 5.1.1)"};
inline constexpr MultipartReject padding{Status::BadRequest, "too many blanks behind a boundary"};
inline constexpr MultipartReject bare_lf{Status::BadRequest, "LF without CR around a part's head"};
inline constexpr MultipartReject bare_cr{Status::BadRequest, "CR without LF around a part's head"};
inline constexpr MultipartReject too_many_parts{Status::ContentTooLarge, "the form has too many parts"};
inline constexpr MultipartReject field_too_large{Status::ContentTooLarge, "a field of the form is too large"};

// heads
inline constexpr MultipartReject head_too_large{Status::RequestHeaderFieldsTooLarge, "the head of a part is too large"};
inline constexpr MultipartReject too_many_fields{Status::RequestHeaderFieldsTooLarge,
                                                 "the head of a part has too many fields"};
inline constexpr MultipartReject control_byte{Status::BadRequest, "a control byte in the head of a part"};
inline constexpr MultipartReject boundary_in_head{Status::BadRequest, "a boundary within the head of a part"};
inline constexpr MultipartReject folded{Status::BadRequest, "a field line of a part begins with a blank"};
inline constexpr MultipartReject field_line{Status::BadRequest,
                                            "a field line of a part is not a name, ':' and a value"};

// Content-Disposition
inline constexpr MultipartReject no_disposition{Status::BadRequest,
                                                "a part without Content-Disposition (RFC 7578, 4.2)"};
inline constexpr MultipartReject two_dispositions{Status::BadRequest, "a part with more than one Content-Disposition"};
inline constexpr MultipartReject disposition_type{Status::BadRequest,
                                                  "a part's Content-Disposition is not form-data (RFC 7578, 4.2)"};
inline constexpr MultipartReject disposition{Status::BadRequest,
                                             "a parameter of a part's Content-Disposition is malformed (RFC 2183, 2)"};
inline constexpr MultipartReject no_name{Status::BadRequest, "a part without a name (RFC 7578, 4.2)"};
inline constexpr MultipartReject two_names{Status::BadRequest, "a part with more than one name"};
inline constexpr MultipartReject two_file_names{Status::BadRequest, "a part with more than one file name"};
inline constexpr MultipartReject extended{Status::BadRequest,
                                          "a part's name in an encoding of its own (RFC 7578, 4.2)"};
inline constexpr MultipartReject extended_file_name{Status::BadRequest,
                                                    "a part's file name is not as RFC 5987, 3.2.1, encodes UTF-8"};
inline constexpr MultipartReject name_too_long{Status::RequestHeaderFieldsTooLarge, "the name of a part is too long"};
inline constexpr MultipartReject file_name_too_long{Status::RequestHeaderFieldsTooLarge,
                                                    "the file name of a part is too long"};
inline constexpr MultipartReject name_bytes{Status::BadRequest,
                                            "the name of a part is not UTF-8, or has a control byte such as CR"};
inline constexpr MultipartReject file_name_bytes{
    Status::BadRequest, "the file name of a part is not UTF-8, or has a control byte such as CR"};

// other fields
inline constexpr MultipartReject two_types{Status::BadRequest, "a part with more than one Content-Type"};
inline constexpr MultipartReject part_type{Status::BadRequest,
                                           "the Content-Type of a part is malformed (RFC 9110, 8.3)"};
inline constexpr MultipartReject nested{Status::UnsupportedMediaType, "a multipart within a part (RFC 7578, 4.3)"};
inline constexpr MultipartReject two_encodings{Status::BadRequest,
                                               "a part with more than one Content-Transfer-Encoding"};
inline constexpr MultipartReject encoding{Status::UnsupportedMediaType,
                                          "the Content-Transfer-Encoding of a part is not 7bit, 8bit or binary"};

}  // namespace tern::multipart::fault
