#include "web/html_escape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::web {
namespace {

constexpr std::array<std::string_view, 6> entities = {"", "&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

// By byte: which of the entities it is; 0: none.
constexpr auto entity_of = [] {
  std::array<std::uint8_t, 256> table{};
  constexpr std::string_view escaped = "&<>\"'";
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    table[static_cast<unsigned char>(escaped[i])] = static_cast<std::uint8_t>(i + 1);
  }
  return table;
}();

}  // namespace

void escape_html(std::string& out, std::string_view text) {
  std::size_t plain = 0;  // where what is not appended yet begins
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::uint8_t entity = entity_of[static_cast<unsigned char>(text[at])];
    if (entity == 0) continue;
    out.append(text, plain, at - plain).append(entities[entity]);
    plain = at + 1;
  }
  out.append(text, plain);
}

}  // namespace tern::web
