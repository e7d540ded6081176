// Media types of files, by the extension of their names.
#pragma once

#include <string_view>

namespace tern::web {

// The type, for text with its charset; application/octet-stream for an unknown extension. `path` may have folders.
// Static text.
std::string_view media_type_of(std::string_view path) noexcept;

// The part behind the last dot of the last segment; empty if there is none.
std::string_view extension_of(std::string_view path) noexcept;

}  // namespace tern::web
