// Text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace tern::web {

// Appends `text` so that it is text in HTML, also within a quoted attribute: & < > " ' become references.
void escape_html(std::string& out, std::string_view text);

}  // namespace tern::web
