#include "web/unicode.hpp"

#include <tern/base/utf8.hpp>

#include <cstddef>

namespace tern::web {
namespace {

// U+0000 to U+001F, and U+007F to U+009F.
bool is_control(std::string_view code_point) noexcept {
  const auto first = static_cast<unsigned char>(code_point.front());
  return first < 0x20 || first == 0x7F || (code_point.size() == 2 && first == 0xC2 && code_point[1] < '\xA0');
}

// U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF.
bool is_invisible(std::string_view code_point) noexcept {
  if (code_point == "\xD8\x9C" || code_point == "\xEF\xBB\xBF") return true;
  if (code_point.size() != 3 || code_point[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(code_point[2]);
  if (code_point[1] == '\x80') return (last >= 0x8B && last <= 0x8F) || (last >= 0xA8 && last <= 0xAE);
  return code_point[1] == '\x81' && last >= 0xA0 && last <= 0xAF;
}

}  // namespace

std::string_view take_code_point(std::string_view& text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  std::size_t size = first < 0xC0 ? 1U : first < 0xE0 ? 2U : first < 0xF0 ? 3U : 4U;
  if (!base::is_utf8(text.substr(0, size))) size = 1;
  const std::string_view bytes = text.substr(0, size);
  text.remove_prefix(bytes.size());
  return bytes;
}

bool is_shown(std::string_view code_point) noexcept {
  return base::is_utf8(code_point) && !is_control(code_point) && !is_invisible(code_point);
}

}  // namespace tern::web
