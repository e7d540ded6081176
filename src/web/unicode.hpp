// Code points of names that come from others.
#pragma once

#include <string_view>

namespace tern::web {

// Takes the code point at the front of `text`, as its bytes; one byte if it is not UTF-8.
std::string_view take_code_point(std::string_view& text) noexcept;

// Whether a code point, as its bytes, is shown as it is: not a control character, not one that is invisible or changes
// the direction of the text around it, and UTF-8.
bool is_shown(std::string_view code_point) noexcept;

}  // namespace tern::web
