// Base64 (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

namespace tern::base {

// With padding.
std::string to_base64(std::string_view bytes);

}  // namespace tern::base
