// Quotes text in messages.
#pragma once

#include <string>
#include <string_view>

namespace tern::app {

inline std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

}  // namespace tern::app
