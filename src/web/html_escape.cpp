#include "web/html_escape.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tern::web {
namespace {

// What replaces a byte: most are replaced by themselves. Eight bytes, so that one copy of constant size writes it.
struct Replacement {
  char text[7] = {};
  std::uint8_t size = 1;
};
static_assert(sizeof(Replacement) == 8);

constexpr std::size_t longest = 6;

constexpr auto replacements = [] {
  std::array<Replacement, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) table[byte].text[0] = static_cast<char>(byte);
  const auto set = [&table](char c, std::string_view entity) {
    Replacement& entry = table[static_cast<unsigned char>(c)];
    std::ranges::copy(entity, entry.text);
    entry.size = static_cast<std::uint8_t>(entity.size());
  };
  set('&', "&amp;");
  set('<', "&lt;");
  set('>', "&gt;");
  set('"', "&quot;");
  set('\'', "&#39;");
  return table;
}();

constexpr std::size_t piece = 64;  // bytes of text at a time

}  // namespace

// Without a branch for each byte: which ones are special cannot be predicted.
void escape_html(std::string& out, std::string_view text) {
  char escaped[piece * longest + sizeof(Replacement)];
  while (!text.empty()) {
    const std::string_view now = text.substr(0, piece);
    char* to = escaped;
    for (const char c : now) {
      const Replacement& entry = replacements[static_cast<unsigned char>(c)];
      std::memcpy(to, &entry, sizeof entry);  // what is behind its size is overwritten by the next one
      to += entry.size;
    }
    out.append(escaped, static_cast<std::size_t>(to - escaped));
    text.remove_prefix(now.size());
  }
}

}  // namespace tern::web
