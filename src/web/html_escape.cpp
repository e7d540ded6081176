#include "web/html_escape.hpp"

#include <algorithm>
#include <array>
#include <bit>
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
// The longest has six bytes, and eight are written.
static_assert(sizeof(Replacement) == 8 && escaped_room(1) == 6 + 8);

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

constexpr std::size_t piece = 64;  // bytes of text at a time, where the string has no room for the worst case

using Bytes [[gnu::vector_size(16)]] = char;
constexpr std::size_t block = sizeof(Bytes);

// Whether none of the bytes is replaced: & and ' differ in one bit, and so do < and >.
bool is_plain(Bytes bytes) {
  const auto found = ((bytes | 1) == '\'') | ((bytes | 2) == '>') | (bytes == '"');
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(found);
  return (halves[0] | halves[1]) == 0;
}
static_assert(('&' | 1) == '\'' && ('<' | 2) == '>');

// What is behind the size of the replacement is overwritten by the next one.
char* put(char* to, char c) {
  const auto entry = std::bit_cast<std::uint64_t>(replacements[static_cast<unsigned char>(c)]);
  std::memcpy(to, &entry, sizeof entry);
  return to + replacements[static_cast<unsigned char>(c)].size;
}

}  // namespace

// Blocks without special bytes are copied; in others there is no branch for each byte, because which ones are special
// cannot be predicted.
char* escape_html(char* to, std::string_view text) noexcept {
  const char* from = text.data();
  const char* const end = from + text.size();
  for (; static_cast<std::size_t>(end - from) >= block; from += block) {
    Bytes bytes;
    std::memcpy(&bytes, from, block);
    if (is_plain(bytes)) {
      std::memcpy(to, &bytes, block);
      to += block;
      continue;
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < block; ++i) to = put(to, from[i]);
  }
  for (; from != end; ++from) to = put(to, *from);
  return to;
}

void escape_html(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  const std::size_t most = escaped_room(text.size());
  if (most <= out.capacity() - before) {
    out.resize_and_overwrite(before + most, [&](char* bytes, std::size_t) {
      return static_cast<std::size_t>(escape_html(bytes + before, text) - bytes);
    });
    return;
  }
  char escaped[escaped_room(piece)];
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    char* const end = escape_html(escaped, text.substr(0, piece));
    out.append(escaped, static_cast<std::size_t>(end - escaped));
  }
}

}  // namespace tern::web
