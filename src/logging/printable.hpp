// Text in a line of a log.
#pragma once

#include <string>
#include <string_view>

namespace tern::logging {

// Control characters are escaped as \xHH, so that text cannot begin a line or control a terminal.
void append_printable(std::string& out, std::string_view text);

}  // namespace tern::logging
