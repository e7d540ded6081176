#include "http1/head_line.hpp"

#include "http/target.hpp"
#include "http1/scan.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/method.hpp>

#include <cstddef>
#include <cstring>
#include <optional>

namespace tern::http1 {
namespace {

constexpr std::string_view last_version = " HTTP/1.1";

// The fault of a request line that does not end in " HTTP/1.1"; sets `version` if the version is supported.
Fault other_version(std::string_view tail, Version& version) noexcept {
  const bool well_formed =
      tail.starts_with(" HTTP/") && base::is_digit(tail[6]) && tail[7] == '.' && base::is_digit(tail[8]);
  if (!well_formed) return Fault::VersionSyntax;
  if (tail[6] != '1') return Fault::UnknownVersion;
  // A higher minor version is treated as the highest supported one (RFC 9110, section 2.5).
  version = tail[8] == '0' ? Version::Http10 : Version::Http11;
  return Fault::None;
}

Fault to_fault(http::TargetFault fault) noexcept {
  switch (fault) {
    case http::TargetFault::None: break;
    case http::TargetFault::Form: return Fault::TargetForm;
    case http::TargetFault::Byte: return Fault::TargetByte;
    case http::TargetFault::Fragment: return Fault::TargetFragment;
    case http::TargetFault::Escape: return Fault::TargetEscape;
    case http::TargetFault::Nul: return Fault::TargetNul;
    case http::TargetFault::Authority: return Fault::TargetAuthority;
  }
  return Fault::None;
}

}  // namespace

Fault field_line_fault(std::string_view line, std::size_t name_end) noexcept {
  const char next = name_end < line.size() ? line[name_end] : '\0';
  const bool blank = next == ' ' || next == '\t';
  if (name_end == 0 && blank) return Fault::FoldedField;
  if (name_end == 0 && next == ':') return Fault::EmptyFieldName;
  if (line.find(':') == std::string_view::npos) return Fault::NoColon;
  return blank ? Fault::BlankBeforeColon : Fault::FieldName;
}

Fault request_line_length_fault(std::string_view begin) noexcept {
  const std::size_t method_end = token_end(begin);
  if (method_end == begin.size()) return Fault::UnknownMethod;
  return begin[method_end] == ' ' ? Fault::RequestLineTooLong : Fault::Method;
}

Fault parse_request_line(std::string_view line, std::size_t method_end, RequestHead& head, Framing& framing) noexcept {
  if (method_end == 0 || method_end == line.size() || line[method_end] != ' ') return Fault::Method;
  const std::size_t target_begin = method_end + 1;
  if (line.size() <= target_begin + last_version.size()) return Fault::RequestLine;

  const std::size_t target_end = line.size() - last_version.size();
  head.target = line.substr(target_begin, target_end - target_begin);
  if (std::memcmp(line.data() + target_end, last_version.data(), last_version.size()) != 0) {
    const Fault fault = other_version(line.substr(target_end), framing.version);
    if (fault != Fault::None) return http::is_visible(head.target) ? fault : Fault::RequestLine;
  }
  const std::optional<Method> method = parse_method(line.substr(0, method_end));
  framing.method = method.value_or(Method::Extension);
  if (!method) {
    if (!http::is_visible(head.target)) return Fault::RequestLine;
    head.extension_method = line.substr(0, method_end);
  }
  const http::TargetFault fault = http::read_target(framing.method, head);
  return fault == http::TargetFault::None ? Fault::None : to_fault(fault);
}

}  // namespace tern::http1
