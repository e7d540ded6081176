// The parameters after a field's value (RFC 9110, section 5.6.6):
//
//   parameters    = *( OWS ";" OWS [ token "=" ( token / quoted-string ) ] )
//   quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE
#pragma once

#include <string_view>

namespace tern::multipart {

struct Parameter {
  std::string_view name;
  std::string_view value;  // of a quoted-string: the text between the quotes, not decoded
  bool quoted = false;
};

// Whether `c` is a byte that field values must not contain: CTL except HTAB.
constexpr bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

// Takes the token at the begin of `text`; empty if there is none.
std::string_view take_token(std::string_view& text) noexcept;

// Takes "type/subtype" at the begin of `text`; empty if there is none.
std::string_view take_media_type(std::string_view& text) noexcept;

class ParameterReader {
public:
  // `text` begins after the value that the parameters belong to.
  explicit ParameterReader(std::string_view text) noexcept : rest_(text) {}

  // False at the end, and at the first malformed parameter. In a quoted-string, only '"' and '\' can be escaped:
  // browsers send other '\' as literal text.
  bool next(Parameter& parameter) noexcept;
  bool malformed() const noexcept { return malformed_; }

private:
  bool read(Parameter& parameter) noexcept;
  bool read_quoted(Parameter& parameter) noexcept;
  bool fail() noexcept;

  std::string_view rest_;
  bool malformed_ = false;
};

}  // namespace tern::multipart
