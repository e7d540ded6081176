#include "fold.hpp"

#include <cstddef>
#include <cstdint>

namespace showcase {
namespace {

// The base letters of U+00C0 to U+024F and U+1E00 to U+1EFF; '?' if there is none.
constexpr char32_t latin_first = 0xC0;
constexpr std::string_view latin =
    "aaaaaaaceeeeiiiidnooooo?ouuuuytsaaaaaaaceeeeiiiidnooooo?ouuuuyty"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
    "lllnnnnnn?nnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
    "??????????????ee????????????????oo?????????????uu???????????????"
    "????dddlllnnnaaiioouuuuuuuuuueaaaa????ggkkoooo??jdddgg??nnaa????"
    "aaaaeeeeiiiioooorrrruuuusstt??hh??????aaeeooooooooyy????????????"
    "????????????????";
constexpr char32_t additional_first = 0x1E00;
constexpr std::string_view additional =
    "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
    "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
    "wwwwwwwwwwxxxxyyzzzzzzhtwyas????aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
    "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy??????";

struct CodePoint {
  char32_t value;
  std::size_t length;  // in bytes
};

// The first code point of `text`, which is UTF-8 if it comes from the JSON files. In other text, such as a query, each
// byte counts for itself.
CodePoint decode(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto tail = [&](std::size_t i) { return i < text.size() && (at(i) & 0xC0) == 0x80; };
  const auto bits = [&](std::size_t i) { return static_cast<char32_t>(at(i) & 0x3F); };
  if (at(0) >= 0xC0 && at(0) < 0xE0 && tail(1)) return {static_cast<char32_t>(at(0) & 0x1F) << 6 | bits(1), 2};
  if (at(0) >= 0xE0 && at(0) < 0xF0 && tail(1) && tail(2)) {
    return {static_cast<char32_t>(at(0) & 0x0F) << 12 | bits(1) << 6 | bits(2), 3};
  }
  return {at(0) < 0x80 ? at(0) : char32_t{0xFFFFFFFF}, 1};
}

char plain_letter(char32_t c) {
  if (c >= latin_first && c - latin_first < latin.size()) return latin[c - latin_first];
  if (c >= additional_first && c - additional_first < additional.size()) return additional[c - additional_first];
  if (c == 0x2BB || c == 0x2BC || c == 0x2018 || c == 0x2019) return '\'';
  if (c == 0x259 || c == 0x25B) return 'e';  // ə, ɛ
  return '?';
}

}  // namespace

std::string fold(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  while (!text.empty()) {
    const auto [c, length] = decode(text);
    if (c < 0x80) {
      folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
    } else if (const char letter = plain_letter(c); letter != '?') {
      folded += letter;
    } else if (c < 0x300 || c > 0x36F) {  // combining marks are omitted
      folded += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return folded;
}

}  // namespace showcase
