// A compiled template: instructions for TemplateRenderer. Made by compile_template().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

struct TemplateProgram;

enum class TemplateOp : std::uint8_t {
  Text,      // text
  Escaped,   // path: the value, escaped for HTML
  Raw,       // path: the value as it is
  Section,   // path; `jump` is behind its end
  Inverted,  // the same; it has no end of its own
  SectionEnd,
  Partial,  // target, with text as the indentation
  Parent,   // target, with the overrides [first, first + count); `jump` is behind its end
  Block,    // text is its name; `jump` is behind its end
  BlockEnd,
  End,  // of the program
};

struct TemplateInstruction {
  TemplateOp op;
  bool is_conditional = false;  // in a section, a block or a parent
  std::uint32_t line = 0;
  std::uint32_t jump = 0;
  std::uint32_t first = 0;  // of the names of the path, or the overrides
  std::uint32_t count = 0;
  std::string_view text = {};
  const TemplateProgram* target = nullptr;
};

// The content of a block that replaces that of the parent.
struct TemplateOverride {
  std::string_view block;
  std::uint32_t start;  // its first instruction; a BlockEnd ends it
};

// Immutable once it is linked, but for the size. Views are into itself: it does not move.
struct TemplateProgram {
  TemplateProgram() = default;
  TemplateProgram(const TemplateProgram&) = delete;
  TemplateProgram& operator=(const TemplateProgram&) = delete;

  // The names of a dotted path; none is the current value: ".".
  std::span<const std::string_view> path(const TemplateInstruction& instruction) const noexcept {
    return std::span(names).subspan(instruction.first, instruction.count);
  }

  std::string file;  // for messages
  std::string source;
  std::vector<TemplateInstruction> code;
  std::vector<std::string_view> names;
  std::vector<TemplateOverride> overrides;
  std::deque<std::string> texts;  // that are not in the source

  // Of the largest page, as far as it was rendered in one piece: so that a page is allocated once.
  mutable std::atomic<std::size_t> largest = 0;
};

}  // namespace tern::web
