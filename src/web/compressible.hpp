// Which media types are worth compressing.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tern::web {

// `type` is the value of a Content-Type field, with its parameters. `more` are types, or ranges such as "model/*", in
// addition to the built-in ones.
bool is_compressible(std::string_view type, std::span<const std::string> more = {}) noexcept;

}  // namespace tern::web
