// The Content-Disposition field of a download (RFC 6266).
#pragma once

#include <string>
#include <string_view>

namespace tern::web {

// "attachment" with the name: as ASCII for every client, and in UTF-8 where that differs (RFC 8187). Folders in the
// name are cut off; control characters, and characters that change the direction of text, become '_'.
std::string attachment(std::string_view file_name);

}  // namespace tern::web
