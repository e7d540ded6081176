# cmake -D IN=page.html -D OUT=page.hpp -P embed.cmake: a file as a string literal.
file(READ "${IN}" content)
file(WRITE "${OUT}" "// Made from page.html; change that.
#pragma once

#include <string_view>

namespace showcase {

inline constexpr std::string_view page_html = R\"page(${content})page\";

}  // namespace showcase
")
