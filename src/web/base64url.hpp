// base64url without padding (RFC 4648, section 5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

std::string to_base64url(std::string_view bytes);

// Strict: one text for each sequence of bytes. Unset for another character, an impossible length, and unused bits that
// are not zero.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace tern::web
