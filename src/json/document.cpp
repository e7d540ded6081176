#include "json/document.hpp"

#include <new>
#include <utility>

namespace tern::json::detail {

namespace {

// Newer versions of simdjson have a code of its own for integers of more than 64 bits. A template, because older
// versions do not have the name.
template <class Code>
constexpr bool is_number_error(Code code) {
  if constexpr (requires { Code::BIGINT_ERROR; }) {
    if (code == Code::BIGINT_ERROR) return true;
  }
  return code == Code::NUMBER_ERROR;
}

std::string message_of(simdjson::error_code code, const Limits& limits) {
  switch (code) {
    case simdjson::EMPTY: return "the text is empty";
    case simdjson::UTF8_ERROR: return "the text is not valid UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string is not closed";
    case simdjson::UNESCAPED_CHARS: return "a string contains a control character";
    case simdjson::STRING_ERROR: return "a string contains a wrong escape";
    case simdjson::NUMBER_ERROR: return "a number is malformed";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR: return "a word is neither true, false nor null";
    case simdjson::DEPTH_ERROR: return "nested deeper than " + std::to_string(limits.depth) + " levels";
    case simdjson::CAPACITY: return "the text is too long";
    default: return "the text is not JSON";
  }
}

// Prepares `parser` for `size` bytes; its depth limit is set only when it allocates.
void prepare(simdjson::dom::parser& parser, std::size_t size, std::size_t depth) {
  if (parser.max_depth() != depth || parser.capacity() < size) {
    constexpr std::size_t least = 1024;
    if (parser.allocate(size < least ? least : size, depth) == simdjson::MEMALLOC) throw std::bad_alloc();
  }
}

}  // namespace

bool parse(Workspace& workspace, std::string_view text, ReadState& state, simdjson::dom::element& root) {
  simdjson::dom::parser& parser = workspace.parser;
  if (text.data() == nullptr) text = "";  // simdjson copies from it
  const std::size_t depth =
      state.limits.depth + 1;  // the document is a level, an empty container none: check() is exact
  std::vector<std::size_t> too_large;
  prepare(parser, text.size(), depth);
  simdjson::error_code code = parser.parse(text.data(), text.size(), true).get(root);
  // Newer versions skip a byte order mark, which JSON must not begin with (RFC 8259, 8.1).
  if (text.starts_with("\xEF\xBB\xBF")) code = simdjson::TAPE_ERROR;
  if (is_number_error(code)) {
    const std::string tamed = tame_numbers(text, too_large);
    prepare(parser, tamed.size(), depth);
    code = parser.parse(tamed.data(), tamed.size(), true).get(root);
  }
  if (code == simdjson::MEMALLOC) throw std::bad_alloc();
  if (code != simdjson::SUCCESS) {
    state.error.kind = ErrorKind::Syntax;
    state.error.problems = {{std::string(), message_of(code, state.limits)}};
    return false;
  }
  return check(root, too_large, state, workspace.names);
}

}  // namespace tern::json::detail
