// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tern::base {

bool is_utf8(std::string_view text) noexcept;

// Appends a valid code point (neither a surrogate nor above U+10FFFF) in UTF-8.
void append_utf8(std::string& out, char32_t code_point);

}  // namespace tern::base
