#include "http1/chunk_line.hpp"

#include "http1/scan.hpp"

#include <tern/base/ascii.hpp>

namespace tern::http1 {
namespace {

std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// The end of the quoted-string that begins at `at`; `at` itself if it is not terminated. (RFC 9110, section 5.6.4. The
// line has no control bytes, so that every byte except the quote and the backslash is qdtext.)
std::size_t quoted_end(std::string_view text, std::size_t at) noexcept {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return at;
}

// The end of the extension whose ";" is at `at`; `at` itself if it is malformed. A blank after it belongs to the next
// one.
std::size_t extension_end(std::string_view text, std::size_t at) noexcept {
  const std::size_t name = skip_blanks(text, at + 1);
  const std::size_t name_end = token_end(text, name);
  if (name_end == name) return at;
  const std::size_t equals = skip_blanks(text, name_end);
  if (equals == text.size() || text[equals] != '=') return name_end;
  const std::size_t value = skip_blanks(text, equals + 1);
  if (value == text.size()) return at;
  const std::size_t value_end = text[value] == '"' ? quoted_end(text, value) : token_end(text, value);
  return value_end == value ? at : value_end;
}

bool are_extensions(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t semicolon = skip_blanks(text, at);
    if (semicolon == text.size() || text[semicolon] != ';') return false;
    at = extension_end(text, semicolon);
    if (at == semicolon) return false;
  }
  return true;
}

}  // namespace

Fault parse_chunk_line(std::string_view line, ChunkLine& chunk) noexcept {
  std::size_t digits = 0;
  std::uint64_t size = 0;
  for (; digits < line.size(); ++digits) {
    const int value = base::hex_value(line[digits]);
    if (value < 0) break;
    if (digits == max_chunk_size_digits) return Fault::ChunkSize;
    size = size << 4U | static_cast<std::uint64_t>(value);
  }
  if (digits == 0) return Fault::ChunkSize;
  chunk.size = size;
  chunk.extension = line.size() - digits;
  if (chunk.extension == 0) return Fault::None;
  const bool begins_like_one = base::trim(line.substr(digits)).starts_with(';');
  if (!begins_like_one) return Fault::ChunkSize;
  return are_extensions(line.substr(digits)) ? Fault::None : Fault::ChunkExtension;
}

}  // namespace tern::http1
