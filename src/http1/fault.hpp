// Why a request is rejected: every fault of the core, with its status and text.
#pragma once

#include <tern/http/status.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::http1 {

enum class Fault : std::uint8_t {
  None,
  // lines
  ControlByte,
  BareCr,
  BareLf,
  // request line
  BlankLines,
  RequestLineTooLong,
  RequestLine,
  Method,
  UnknownMethod,
  VersionSyntax,
  UnknownVersion,
  TargetForm,
  TargetByte,
  TargetFragment,
  TargetEscape,
  TargetNul,
  TargetAuthority,
  // fields
  FieldsTooLarge,
  TooManyFields,
  FoldedField,
  EmptyFieldName,
  FieldName,
  BlankBeforeColon,
  NoColon,
  NoHost,
  TwoHosts,
  HostSyntax,
  ContentLength,
  TwoContentLengths,
  LengthAndEncoding,
  TransferEncoding,
  UnknownTransferCoding,
  TwoTransferEncodings,
  EncodingOnHttp10,
  ConnectionSyntax,
  UnknownExpectation,
  // chunked content
  ChunkSize,
  ChunkExtension,
  ChunkExtensionsTooLarge,
  ChunkEnd,
  TrailersTooLarge,
  TooManyTrailers,
};

// `detail` is literal text for the problem document of the response.
struct Reject {
  Status status = Status::BadRequest;
  std::string_view detail;
};

Reject describe(Fault fault) noexcept;

inline constexpr std::size_t fault_count = static_cast<std::size_t>(Fault::TooManyTrailers) + 1;
// The enumerator in snake_case, for metrics.
std::string_view name_of(Fault fault) noexcept;

}  // namespace tern::http1
