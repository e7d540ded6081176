#include "web/template_renderer.hpp"

#include "web/html_escape.hpp"
#include "web/pieces.hpp"

#include <tern/web/templates.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace tern::web {
namespace {

bool is_truthy(const TemplateValue& value, std::string& scratch) {
  if (value.type == nullptr) return false;
  switch (value.type->kind) {
    case TemplateKind::Boolean:
    case TemplateKind::Map: return value.type->holds(value.object);
    case TemplateKind::Text: return !value.type->text(value.object, scratch).empty();
    case TemplateKind::List: {
      std::vector<TemplateValue> elements;
      value.type->elements(value.object, elements);
      return !elements.empty();
    }
    case TemplateKind::Struct:
    case TemplateKind::Scalar: break;
  }
  return true;
}

constexpr std::size_t long_list = 8;  // items, from which on places of names are kept

const TemplateMember* member_of(const TemplateType& type, std::string_view name) {
  for (const TemplateMember& each : type.members) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

// False if there is no such member.
bool find_member(const TemplateValue& value, std::string_view name, TemplateValue& found) {
  if (value.type->element != nullptr) return value.type->element(value.object, name, found);
  const TemplateMember* const member = member_of(*value.type, name);
  if (member != nullptr) found = member->value(value.object);
  return member != nullptr;
}

}  // namespace

TemplateRenderer::TemplateRenderer(const TemplateProgram& program, TemplateValue root)
    : here_{&program, 0}, page_(program) {
  contexts_.push_back(root);
}

void TemplateRenderer::fail(std::string_view what) const {
  throw TemplateError(here_.program->file, instruction().line, what);
}

bool TemplateRenderer::run(std::string& out, std::size_t enough) {
  while (!is_done_ && out.size() < enough) {
    if (!cells_.empty()) {
      write_rows(out, enough);
      continue;
    }
    const TemplateInstruction& now = instruction();
    if (now.op == TemplateOp::Text && indentation_.empty()) {
      out += now.text;
      ++here_.at;
    } else {
      step(out);
    }
  }
  return is_done_;
}

void TemplateRenderer::step(std::string& out) {
  const TemplateInstruction& now = instruction();
  switch (now.op) {
    case TemplateOp::Text:
      write_text(out, now.text);
      ++here_.at;
      return;
    case TemplateOp::Escaped:
    case TemplateOp::Raw: return write_value(out);
    case TemplateOp::Section: return enter_section();
    case TemplateOp::SectionEnd: return end_of_section();
    case TemplateOp::Inverted: here_.at = is_truthy(find(), scratch_) ? now.jump : here_.at + 1; return;
    case TemplateOp::Partial:
      call({now.target, 0}, here_.at + 1, scope_);
      if (now.text.empty()) return;
      indentation_ += now.text;
      is_line_start_ = true;
      return;
    case TemplateOp::Parent: return enter_parent();
    case TemplateOp::Block: return enter_block();
    case TemplateOp::BlockEnd:
    case TemplateOp::End: return end_of_call();
  }
}

// The indentation of a partial is in front of each of its lines, but not of lines within values.
void TemplateRenderer::write_text(std::string& out, std::string_view text) {
  if (indentation_.empty()) {
    out += text;
    return;
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    indent(out);
    out += text.substr(0, end);
    is_line_start_ = text[end - 1] == '\n';
    text.remove_prefix(end);
  }
}

void TemplateRenderer::indent(std::string& out) {
  if (is_line_start_) out += indentation_;
  is_line_start_ = false;
}

void TemplateRenderer::write_value(std::string& out) {
  const TemplateValue value = find();
  const TemplateInstruction& now = instruction();
  if (value.type != nullptr) {
    indent(out);
    write_text_of(out, value, now.op == TemplateOp::Escaped);
  }
  ++here_.at;
}

void TemplateRenderer::write_text_of(std::string& out, const TemplateValue& value, bool escaped) {
  if (value.type->print != nullptr) {
    char plain[max_plain_text];
    out.append(plain, value.type->print(value.object, plain));
    return;
  }
  const std::string_view text = text_of(value);
  if (escaped) {
    escape_html(out, text);
  } else {
    out += text;
  }
}

std::string_view TemplateRenderer::text_of(const TemplateValue& value) {
  if (value.type->text != nullptr) return value.type->text(value.object, scratch_);
  const std::string name(instruction().text);
  fail("'" + name + "' is not text: use a section {{#" + name + "}}");
}

// The value of the instruction's path. Its first name is looked for in all contexts, the current one first; the others
// are members.
TemplateValue TemplateRenderer::find() {
  if (!found_.empty() && here_.program == &page_) {
    const Found& found = found_[here_.at];
    const TemplateValue& item = contexts_.back();
    if (found.member != nullptr && found.type == item.type && instruction().count == 1) {
      return found.member->value(item.object);
    }
  }
  const auto path = here_.program->path(instruction());
  if (path.empty()) return contexts_.back();
  TemplateValue value = find_in_item(path.front());
  for (const std::string_view name : path.subspan(1)) {
    if (value.type == nullptr) return {};
    TemplateValue member;
    const bool found = find_member(value, name, member);
    if (!found && value.type->kind != TemplateKind::Map) {
      fail("'" + std::string(instruction().text) + "': " + std::string(value.type->name()) + " has no member '" +
           std::string(name) + "'");
    }
    value = member;
  }
  return value;
}

TemplateValue TemplateRenderer::find_in_item(std::string_view name) {
  const TemplateValue& item = contexts_.back();
  if (found_.empty() || here_.program != &page_ || item.type == nullptr) return find_first(name);
  Found& found = found_[here_.at];
  if (found.type != item.type) {
    found.type = item.type;
    found.member = member_of(*item.type, name);
  }
  return found.member != nullptr ? found.member->value(item.object) : find_first(name);
}

TemplateValue TemplateRenderer::find_first(std::string_view name) const {
  bool may_be_absent = false;
  for (auto context = contexts_.rbegin(); context != contexts_.rend(); ++context) {
    if (context->type == nullptr) continue;
    TemplateValue found;
    if (find_member(*context, name, found)) return found;
    may_be_absent = may_be_absent || context->type->kind == TemplateKind::Map;
  }
  if (!may_be_absent) fail("there is no '" + std::string(name) + "' in " + scope_names());
  return {};
}

std::string TemplateRenderer::scope_names() const {
  std::string names;
  for (auto context = contexts_.rbegin(); context != contexts_.rend(); ++context) {
    if (context->type == nullptr || !context->type->has_members()) continue;
    names.append(names.empty() ? "" : ", ").append(context->type->name());
  }
  return names.empty() ? "an empty scope" : names;
}

void TemplateRenderer::enter_section() {
  const TemplateInstruction& now = instruction();
  const TemplateValue value = find();
  const std::size_t first = items_.size();
  if (value.type != nullptr && value.type->kind == TemplateKind::List) {
    value.type->elements(value.object, items_);
  } else if (is_truthy(value, scratch_)) {
    items_.push_back(value);
  }
  if (items_.size() == first) {
    here_.at = now.jump;
    return;
  }
  if (items_.size() - first >= long_list && found_.empty()) found_.resize(page_.code.size());
  ++here_.at;
  frames_.push_back({.back = here_, .item = first, .first_item = first});
  contexts_.push_back(items_[first]);
  if (items_.size() - first >= long_list) find_cells();
}

// Of a section whose body is text and members of its items.
void TemplateRenderer::find_cells() {
  const TemplateValue& item = contexts_.back();
  if (item.type == nullptr || !indentation_.empty()) return;
  row_type_ = item.type;
  std::string_view text;
  const auto add = [&](const TemplateMember* member, bool escaped, std::uint32_t at) {
    cells_.push_back({Fragment(std::exchange(text, {})), member, escaped, at});
  };
  for (std::uint32_t at = here_.at;; ++at) {
    const TemplateInstruction& each = here_.program->code[at];
    switch (each.op) {
      case TemplateOp::Text:
        if (!text.empty()) add(nullptr, false, at);
        text = each.text;
        break;
      case TemplateOp::Escaped:
      case TemplateOp::Raw: {
        const auto path = here_.program->path(each);
        const TemplateMember* const member = path.size() == 1 ? member_of(*item.type, path.front()) : nullptr;
        if (member == nullptr) return cells_.clear();
        add(member, each.op == TemplateOp::Escaped, at);
        break;
      }
      case TemplateOp::SectionEnd: return add(nullptr, false, at);
      default: return cells_.clear();
    }
  }
}

inline void TemplateRenderer::write_cell(Pieces& pieces, const Cell& cell, const void* item) {
  pieces.add(cell.text);
  if (cell.member == nullptr) return;
  const TemplateValue value = cell.member->value(item);
  if (value.type == nullptr) return;
  if (value.type->print != nullptr) {
    return pieces.add(max_plain_text, [&](char* to) { return value.type->print(value.object, to); });
  }
  here_.at = cell.at;  // for fail()
  const std::string_view text = text_of(value);
  if (!cell.is_escaped) {
    pieces.add(text);
  } else if (escaped_room(text.size()) <= Pieces::room) {
    pieces.add(escaped_room(text.size()), [&](char* to) { return escape_html(to, text); });
  } else {
    escape_html(pieces.flush(), text);
  }
}

// Items up to the end, up to one of another type, or until there is enough.
void TemplateRenderer::write_rows(std::string& out, std::size_t enough) {
  Frame& frame = frames_.back();
  const Place first = here_;
  Pieces pieces(out);
  bool is_table = true;
  for (; frame.item < items_.size() && pieces.size() < enough; ++frame.item) {
    const TemplateValue& item = items_[frame.item];
    is_table = item.type == row_type_;
    if (!is_table) break;
    for (const Cell& cell : cells_) write_cell(pieces, cell, item.object);
  }
  pieces.flush();
  here_ = first;
  if (frame.item < items_.size()) {
    contexts_.back() = items_[frame.item];
    if (!is_table) cells_.clear();
    return;
  }
  here_.at = cells_.back().at;
  cells_.clear();
  leave_section();
}

void TemplateRenderer::end_of_section() {
  Frame& frame = frames_.back();
  if (++frame.item < items_.size()) {
    contexts_.back() = items_[frame.item];
    here_ = frame.back;
    return;
  }
  leave_section();
}

// At its end.
void TemplateRenderer::leave_section() {
  const auto first = static_cast<std::ptrdiff_t>(frames_.back().first_item);
  items_.erase(items_.begin() + first, items_.end());
  contexts_.pop_back();
  frames_.pop_back();
  ++here_.at;
}

void TemplateRenderer::call(Place to, std::uint32_t back, std::uint32_t scope) {
  if (++depth_ > max_template_depth) fail("templates are nested more than 100 deep: does this one include itself?");
  frames_.push_back(
      {.back = {here_.program, back}, .indentation = indentation_.size(), .scope = scope_, .is_call = true});
  scope_ = scope;
  here_ = to;
}

void TemplateRenderer::enter_parent() {
  const TemplateInstruction& now = instruction();
  scopes_.push_back({.parent = here_, .outer = scope_});
  call({now.target, 0}, now.jump, static_cast<std::uint32_t>(scopes_.size() - 1));
  frames_.back().has_scope = true;
}

// An override is rendered in the scope of the template that has it, so that its own parents are independent.
void TemplateRenderer::enter_block() {
  const TemplateInstruction& now = instruction();
  std::uint32_t start = 0;
  if (const Scope* scope = find_override(now.text, start)) {
    call({scope->parent.program, start}, now.jump, scope->outer);
  } else {
    call({here_.program, here_.at + 1}, now.jump, scope_);
  }
}

// The outermost one counts: that of the page, before that of a layout between.
const TemplateRenderer::Scope* TemplateRenderer::find_override(std::string_view block, std::uint32_t& start) const {
  const Scope* found = nullptr;
  for (std::uint32_t at = scope_; at != no_scope; at = scopes_[at].outer) {
    const auto [program, parent] = scopes_[at].parent;
    const TemplateInstruction& instruction = program->code[parent];
    for (const TemplateOverride& each : std::span(program->overrides).subspan(instruction.first, instruction.count)) {
      if (each.block != block) continue;
      found = &scopes_[at];
      start = each.start;
    }
  }
  return found;
}

void TemplateRenderer::end_of_call() {
  if (frames_.empty()) {
    is_done_ = true;
    return;
  }
  const Frame& frame = frames_.back();
  --depth_;
  here_ = frame.back;
  scope_ = frame.scope;
  indentation_.erase(frame.indentation);
  if (frame.has_scope) scopes_.pop_back();
  frames_.pop_back();
}

}  // namespace tern::web
