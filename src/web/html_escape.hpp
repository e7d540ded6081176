// Text in HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tern::web {

// Appends `text` so that it is text in HTML, also within a quoted attribute: & < > " ' become references.
void escape_html(std::string& out, std::string_view text);
// The same into memory with room for escaped_room(text.size()) bytes; returns the end of what is written.
char* escape_html(char* to, std::string_view text) noexcept;

constexpr std::size_t escaped_room(std::size_t size) noexcept {
  return 6 * size + 8;
}

}  // namespace tern::web
