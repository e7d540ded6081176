// Runs a TemplateProgram: appends the page to a string, in one call or in several.
#pragma once

#include "web/pieces.hpp"
#include "web/template_program.hpp"

#include <tern/web/template_value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

// Partials and parents in each other, at run time.
inline constexpr std::size_t max_template_depth = 100;

class TemplateRenderer {
public:
  // Both outlive the renderer.
  TemplateRenderer(const TemplateProgram& program, TemplateValue root);

  // Renders until `out` has at least `enough` bytes. True at the end of the page. Throws TemplateError.
  bool run(std::string& out, std::size_t enough);

private:
  static constexpr std::uint32_t no_scope = UINT32_MAX;

  struct Place {
    const TemplateProgram* program;
    std::uint32_t at;
  };
  // What an instruction that has an end entered: a section, or a call of a partial, a parent or a block.
  struct Frame {
    Place back;            // where to continue behind it; of a section, its first instruction
    std::size_t item = 0;  // of a section: the current and the last of items_
    std::size_t first_item = 0;
    std::size_t indentation = 0;     // the size of indentation_ outside
    std::uint32_t scope = no_scope;  // outside
    bool has_scope = false;          // a parent: it made the last of scopes_
    bool is_call = false;
  };
  // Where a name was found in the last item of a list: items of one type have it at the same place.
  struct Found {
    const TemplateType* type = nullptr;
    const TemplateMember* member = nullptr;
  };
  // In the body of a table: a text, and a member of the row behind it; null where another text, or the end, follows.
  struct Cell {
    Fragment text;
    const TemplateMember* member;
    bool is_escaped;
    std::uint32_t at;
  };
  // The overrides of a parent, visible within it.
  struct Scope {
    Place parent;  // the Parent instruction
    std::uint32_t outer;
  };

  const TemplateInstruction& instruction() const noexcept { return here_.program->code[here_.at]; }
  [[noreturn]] void fail(std::string_view what) const;
  void step(std::string& out);
  void write_text(std::string& out, std::string_view text);
  void write_value(std::string& out);
  void write_text_of(std::string& out, const TemplateValue& value, bool escaped);
  std::string_view text_of(const TemplateValue& value);
  void indent(std::string& out);
  TemplateValue find();
  TemplateValue find_in_item(std::string_view name);
  TemplateValue find_first(std::string_view name) const;
  std::string scope_names() const;
  void enter_section();
  void find_cells();
  void write_rows(std::string& out, std::size_t enough);
  void write_cell(Pieces& pieces, const Cell& cell, const void* item);
  void end_of_section();
  void leave_section();
  void call(Place to, std::uint32_t back, std::uint32_t scope);
  void enter_parent();
  void enter_block();
  const Scope* find_override(std::string_view block, std::uint32_t& start) const;
  void end_of_call();

  Place here_;
  bool is_done_ = false;
  bool is_line_start_ = false;  // tracked where there is an indentation
  std::uint32_t scope_ = no_scope;
  std::size_t depth_ = 0;
  std::string indentation_;
  std::string scratch_;
  std::vector<TemplateValue> contexts_;
  std::vector<TemplateValue> items_;  // of the sections that are open
  std::vector<Frame> frames_;
  std::vector<Scope> scopes_;
  // The rows of the innermost section, if it is a table of one type: rendered without its instructions.
  std::vector<Cell> cells_;
  const TemplateType* row_type_ = nullptr;
  const TemplateProgram& page_;
  std::vector<Found> found_;  // by instruction of page_; empty until there is a long list
};

}  // namespace tern::web
