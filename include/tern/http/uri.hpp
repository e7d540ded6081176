// Request targets (RFC 9112, section 3.2) and percent-encoding (RFC 3986, section 2.1).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

class Arena;

// The parts of a request target; views into it. The path keeps its percent escapes.
struct Target {
  std::string_view authority;  // of absolute-form and authority-form
  std::string_view path;       // begins with '/', or is "*" in asterisk-form, or empty in authority-form
  std::string_view query;      // without the '?'
};

Target split_target(std::string_view target) noexcept;

// `text` with its percent escapes decoded, in `arena` where there are any and unchanged otherwise. Nothing when an
// escape is malformed. A NUL is refused too: no name has one, and too much code behind stops at it.
std::optional<std::string_view> percent_decode(std::string_view text, Arena& arena);

// The same for application/x-www-form-urlencoded, where '+' is a blank.
std::optional<std::string_view> form_decode(std::string_view text, Arena& arena);

// Appends `text` with everything escaped but the unreserved characters of RFC 3986.
void append_percent_encoded(std::string& out, std::string_view text);

// `uri` with every byte escaped that has no place in a URI (RFC 3986, section 2): blanks, quotes, '<', '>', '\', '^',
// '`', '{', '|', '}' and what is not ASCII. Its structure and the escapes it has stay; so do CR, LF and NUL, which no
// field takes.
std::string escape_uri(std::string_view uri);

// Steps through "a=1&b=2": sets `name` and `value` (still encoded) and shortens `rest`. False at the end. Empty pieces
// are passed over; a piece without '=' has an empty value.
bool next_pair(std::string_view& rest, std::string_view& name, std::string_view& value) noexcept;

}  // namespace tern
