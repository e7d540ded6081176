#include "http1/fault.hpp"

#include <array>

namespace tern::http1 {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, fault_count> fault_names = {
    "none",
    "control_byte",
    "bare_cr",
    "bare_lf",
    "blank_lines",
    "request_line_too_long",
    "request_line",
    "method",
    "unknown_method",
    "version_syntax",
    "unknown_version",
    "target_form",
    "target_byte",
    "target_fragment",
    "target_escape",
    "target_nul",
    "target_authority",
    "fields_too_large",
    "too_many_fields",
    "folded_field",
    "empty_field_name",
    "field_name",
    "blank_before_colon",
    "no_colon",
    "no_host",
    "two_hosts",
    "host_syntax",
    "content_length",
    "two_content_lengths",
    "length_and_encoding",
    "transfer_encoding",
    "unknown_transfer_coding",
    "two_transfer_encodings",
    "encoding_on_http10",
    "connection_syntax",
    "unknown_expectation",
    "chunk_size",
    "chunk_extension",
    "chunk_extensions_too_large",
    "chunk_end",
    "trailers_too_large",
    "too_many_trailers",
};
static_assert(!fault_names.back().empty());

}  // namespace

std::string_view name_of(Fault fault) noexcept {
  return fault_names[static_cast<std::size_t>(fault)];
}

Reject describe(Fault fault) noexcept {
  using enum Status;
  switch (fault) {
    case Fault::None: break;
    case Fault::ControlByte: return {BadRequest, "a control byte where none may be (RFC 9110, 5.5)"};
    case Fault::BareCr: return {BadRequest, "CR without LF (RFC 9112, 2.2)"};
    case Fault::BareLf: return {BadRequest, "LF without CR (RFC 9112, 2.2)"};
    case Fault::BlankLines: return {BadRequest, "too many empty lines before the request line (RFC 9112, 2.2)"};
    case Fault::RequestLineTooLong: return {UriTooLong, "the request line is too long"};
    case Fault::RequestLine: return {BadRequest, "the request line is not method, target and version (RFC 9112, 3)"};
    case Fault::Method: return {BadRequest, "the method is not a token (RFC 9110, 9.1)"};
    case Fault::UnknownMethod: return {NotImplemented, "the method is not known here"};
    case Fault::VersionSyntax: return {BadRequest, "the HTTP version is malformed (RFC 9112, 2.3)"};
    case Fault::UnknownVersion: return {HttpVersionNotSupported, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
    case Fault::TargetForm: return {BadRequest, "the target has no form that this method takes (RFC 9112, 3.2)"};
    case Fault::TargetByte: return {BadRequest, "the target holds a byte that a URI may not (RFC 9112, 3.2)"};
    case Fault::TargetFragment: return {BadRequest, "the target has a fragment (RFC 9112, 3.2)"};
    case Fault::TargetEscape: return {BadRequest, "a malformed percent escape in the path (RFC 3986, 2.1)"};
    case Fault::TargetNul: return {BadRequest, "NUL in the path"};
    case Fault::TargetAuthority: return {BadRequest, "the target's authority is malformed (RFC 9112, 3.2)"};
    case Fault::FieldsTooLarge: return {RequestHeaderFieldsTooLarge, "the fields are too large"};
    case Fault::TooManyFields: return {RequestHeaderFieldsTooLarge, "too many fields"};
    case Fault::FoldedField: return {BadRequest, "a field line that begins with a blank (RFC 9112, 5.2)"};
    case Fault::EmptyFieldName: return {BadRequest, "a field without a name (RFC 9112, 5)"};
    case Fault::FieldName: return {BadRequest, "a field's name is not a token (RFC 9110, 5.1)"};
    case Fault::BlankBeforeColon: return {BadRequest, "a blank between a field's name and its colon (RFC 9112, 5.1)"};
    case Fault::NoColon: return {BadRequest, "a field line without a colon (RFC 9112, 5)"};
    case Fault::NoHost: return {BadRequest, "Host is missing (RFC 9112, 3.2)"};
    case Fault::TwoHosts: return {BadRequest, "more than one Host (RFC 9112, 3.2)"};
    case Fault::HostSyntax: return {BadRequest, "Host is malformed (RFC 9112, 3.2)"};
    case Fault::ContentLength: return {BadRequest, "Content-Length is malformed (RFC 9110, 8.6)"};
    case Fault::TwoContentLengths: return {BadRequest, "more than one Content-Length (RFC 9112, 6.3)"};
    case Fault::LengthAndEncoding: return {BadRequest, "Content-Length with Transfer-Encoding (RFC 9112, 6.1)"};
    case Fault::TransferEncoding: return {BadRequest, "chunked is not the last transfer coding (RFC 9112, 6.3)"};
    case Fault::UnknownTransferCoding: return {NotImplemented, "a transfer coding other than chunked (RFC 9112, 6.1)"};
    case Fault::TwoTransferEncodings: return {BadRequest, "more than one Transfer-Encoding (RFC 9112, 6.1)"};
    case Fault::EncodingOnHttp10: return {BadRequest, "Transfer-Encoding with HTTP/1.0 (RFC 9112, 6.1)"};
    case Fault::ConnectionSyntax: return {BadRequest, "Connection is malformed (RFC 9110, 7.6.1)"};
    case Fault::UnknownExpectation: return {ExpectationFailed, "an expectation other than 100-continue"};
    case Fault::ChunkSize: return {BadRequest, "a chunk's size is malformed (RFC 9112, 7.1)"};
    case Fault::ChunkExtension: return {BadRequest, "a chunk extension is malformed (RFC 9112, 7.1.1)"};
    case Fault::ChunkExtensionsTooLarge: return {BadRequest, "the chunk extensions are too large"};
    case Fault::ChunkEnd: return {BadRequest, "a chunk's data does not end in CRLF (RFC 9112, 7.1)"};
    case Fault::TrailersTooLarge: return {RequestHeaderFieldsTooLarge, "the trailers are too large"};
    case Fault::TooManyTrailers: return {RequestHeaderFieldsTooLarge, "too many trailers"};
  }
  return {BadRequest, ""};
}

}  // namespace tern::http1
