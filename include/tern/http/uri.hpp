// Request targets (RFC 9112, section 3.2) and percent-encoding (RFC 3986, section 2.1).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

class Arena;

// The components of a request target, as views into it. The path keeps its percent escapes.
struct Target {
  std::string_view authority;  // of absolute-form and authority-form
  std::string_view path;       // begins with '/', or is "*" in asterisk-form, or empty in authority-form
  std::string_view query;      // without the '?'
};

Target split_target(std::string_view target) noexcept;

// `text` with decoded percent escapes: in `arena` if there are any, otherwise unchanged. Unset for a malformed escape,
// and for NUL, at which C functions would truncate the text.
std::optional<std::string_view> percent_decode(std::string_view text, Arena& arena);

// The same for application/x-www-form-urlencoded, where '+' is a blank.
std::optional<std::string_view> form_decode(std::string_view text, Arena& arena);

// Appends `text`, escaping everything except the unreserved characters of RFC 3986.
void append_percent_encoded(std::string& out, std::string_view text);

// Escapes every byte that is not allowed in a URI (RFC 3986, section 2): blanks, quotes, '<', '>', '\', '^', '`', '{',
// '|', '}' and non-ASCII bytes. Keeps delimiters and existing escapes; also keeps CR, LF and NUL, which fields reject.
std::string escape_uri(std::string_view uri);

// Iterates over "a=1&b=2": sets `name` and `value` (still encoded) and shortens `rest`. False at the end. Skips empty
// pieces; a piece without '=' has an empty value.
bool next_pair(std::string_view& rest, std::string_view& name, std::string_view& value) noexcept;

}  // namespace tern
