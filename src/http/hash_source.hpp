// The source of a Content-Security-Policy for a script or style by its hash (CSP Level 3, section 2.3.1).
#pragma once

#include <string>
#include <string_view>

namespace tern::http {

// `sha256` in hexadecimal, lower-case: "'sha256-…'".
std::string hash_source(std::string_view sha256);

}  // namespace tern::http
