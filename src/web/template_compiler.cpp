#include "web/template_compiler.hpp"

#include <algorithm>
#include <utility>

namespace tern::web {
namespace {

constexpr std::string_view blank = " \t";
constexpr std::size_t max_nesting = 100;

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) + 1 - first);
}

// A tag: its sigil (0 for a variable) and the text behind it.
struct Tag {
  char sigil = 0;
  std::string_view name;
  std::size_t begin = 0;  // of the delimiters
  std::size_t end = 0;
};

class Compiler {
public:
  Compiler(TemplateProgram& program, std::vector<TemplateReference>& references, std::span<const TemplateAssets> assets)
      : program_(program), source_(program.source), references_(references), assets_(assets) {}

  void run() {
    while (true) {
      const std::size_t begin = source_.find(open_, at_);
      if (begin == std::string_view::npos) break;
      advance_line(begin);
      compile(read_tag(begin));
    }
    add_text(at_, source_.size());
    if (!open_tags_.empty()) {
      line_ = program_.code[open_tags_.back().instruction].line;
      fail("'" + std::string(open_tags_.back().name) + "' is opened and never closed");
    }
    add(TemplateOp::End);
  }

private:
  struct OpenTag {
    TemplateOp op;
    std::string_view name;
    std::size_t instruction;
    std::vector<TemplateOverride> overrides = {};  // of a Parent
  };

  [[noreturn]] void fail(std::string_view what) const { throw TemplateError(program_.file, line_, what); }

  void advance_line(std::size_t to) {
    line_ += static_cast<std::uint32_t>(std::ranges::count(source_.substr(counted_, to - counted_), '\n'));
    counted_ = to;
  }

  Tag read_tag(std::size_t begin) const {
    Tag tag;
    tag.begin = begin;
    std::size_t from = begin + open_.size();
    while (from < source_.size() && source_[from] == ' ') ++from;
    std::string close = close_;
    constexpr std::string_view sigils = "#^/!>&{=<$";
    if (from < source_.size() && sigils.contains(source_[from])) tag.sigil = source_[from++];
    if (tag.sigil == '{') close.insert(0, "}");
    if (tag.sigil == '=') close.insert(0, "=");
    const std::size_t end = source_.find(close, from);
    if (end == std::string_view::npos) fail("the tag is never closed by '" + close + "'");
    tag.name = trimmed(source_.substr(from, end - from));
    tag.end = end + close.size();
    return tag;
  }

  // Emits the text in front of the tag, and then the tag. One that stands alone on its line takes the line with it, but
  // for variables (specification: "standalone").
  void compile(const Tag& tag) {
    std::size_t text_end = tag.begin;
    std::size_t next = tag.end;
    std::string_view indentation;
    const bool may_stand_alone = tag.sigil != 0 && tag.sigil != '&' && tag.sigil != '{';
    if (may_stand_alone && stands_alone(tag)) {
      const std::size_t line_begin = source_.substr(0, tag.begin).rfind('\n') + 1;  // 0 in the first line
      indentation = source_.substr(line_begin, tag.begin - line_begin);
      text_end = line_begin;
      next = std::min(source_.find('\n', tag.end), source_.size() - 1) + 1;
    }
    add_text(at_, text_end);
    at_ = next;
    compile_tag(tag, indentation);
  }

  bool stands_alone(const Tag& tag) const {
    // Behind the last tag, so that a page in one line does not cost quadratic time.
    const std::size_t newline = source_.substr(at_, tag.begin - at_).rfind('\n');
    if (newline == std::string_view::npos && at_ != 0 && source_[at_ - 1] != '\n')
      return false;  // another tag is there
    const std::size_t line_begin = newline == std::string_view::npos ? at_ : at_ + newline + 1;
    const std::string_view before = source_.substr(line_begin, tag.begin - line_begin);
    if (before.find_first_not_of(blank) != std::string_view::npos) return false;
    std::string_view after = source_.substr(tag.end);
    after = after.substr(0, after.find('\n'));
    if (after.ends_with('\r')) after.remove_suffix(1);
    return after.find_first_not_of(blank) == std::string_view::npos;
  }

  void compile_tag(const Tag& tag, std::string_view indentation) {
    switch (tag.sigil) {
      case '!': return;
      case '=': return change_delimiters(tag.name);
      case '#': return open(TemplateOp::Section, tag.name);
      case '^': return open(TemplateOp::Inverted, tag.name);
      case '<': return open(TemplateOp::Parent, tag.name);
      case '$': return open(TemplateOp::Block, tag.name);
      case '/': return close(tag.name);
      case '>':
        add_reference(TemplateOp::Partial, tag.name);
        program_.code.back().text = indentation;
        return;
      case '&':
      case '{': return add_path(TemplateOp::Raw, tag.name);
      default: break;
    }
    if (tag.name.starts_with("asset ")) return add_asset(trimmed(tag.name.substr(6)));
    add_path(TemplateOp::Escaped, tag.name);
  }

  void change_delimiters(std::string_view both) {
    const std::size_t space = std::min(both.find_first_of(" \t\r\n"), both.size());
    const std::string_view first = both.substr(0, space);
    const std::string_view second = trimmed(both.substr(space));
    const bool is_wrong = first.empty() || second.empty() ||
                          second.find_first_of(" \t\r\n=") != std::string_view::npos || first.contains('=');
    if (is_wrong) fail("delimiters are changed by {{=<% %>=}}: two of them, without '=' and spaces");
    open_ = first;
    close_ = second;
  }

  void check_name(std::string_view name) const {
    if (name.empty()) fail("the tag has no name");
    if (name.find_first_of(" \t\r\n{}\"") != std::string_view::npos) {
      fail("'" + std::string(name) + "' is not a name");
    }
  }

  TemplateInstruction& add(TemplateOp op) {
    TemplateInstruction& instruction = program_.code.emplace_back();
    instruction.op = op;
    instruction.line = line_;
    instruction.is_conditional = !open_tags_.empty();
    return instruction;
  }

  void add_text(std::size_t from, std::size_t to) {
    if (from < to) add(TemplateOp::Text).text = source_.substr(from, to - from);
  }

  void add_path(TemplateOp op, std::string_view path) {
    check_name(path);
    TemplateInstruction& instruction = add(op);
    instruction.text = path;
    instruction.first = static_cast<std::uint32_t>(program_.names.size());
    if (path == ".") return;
    while (true) {
      const std::size_t dot = std::min(path.find('.'), path.size());
      if (dot == 0) fail("a dotted name has an empty part");
      program_.names.push_back(path.substr(0, dot));
      ++instruction.count;
      if (dot == path.size()) return;
      path.remove_prefix(dot + 1);
    }
  }

  void add_reference(TemplateOp op, std::string_view name) {
    if (name.starts_with('*')) fail("dynamic names ('*') are not supported");
    check_name(name);
    references_.push_back({program_.code.size(), name});
    add(op);
  }

  void add_asset(std::string_view argument) {
    if (argument.size() < 2 || !argument.starts_with('"') || !argument.ends_with('"')) {
      fail(R"(an asset is written as {{asset "/assets/style.css"}})");
    }
    const std::string_view url = argument.substr(1, argument.size() - 2);
    for (const TemplateAssets& each : assets_) {
      std::string_view rest = url;
      if (!rest.starts_with(each.prefix)) continue;
      rest.remove_prefix(each.prefix.size());
      if (!each.prefix.ends_with('/') && !rest.starts_with('/')) continue;
      if (rest.starts_with('/')) rest.remove_prefix(1);
      if (!each.folder->content(rest)) continue;
      const std::string path(each.folder->hashed_path(rest));
      add(TemplateOp::Text).text =
          program_.texts.emplace_back(std::string(url.substr(0, url.size() - rest.size())) + path);
      return;
    }
    fail("there is no asset '" + std::string(url) + "' in TemplateOptions::assets");
  }

  void open(TemplateOp op, std::string_view name) {
    if (open_tags_.size() == max_nesting) fail("tags are nested more than 100 deep");
    const std::size_t at = program_.code.size();
    if (op == TemplateOp::Parent) {
      add_reference(op, name);
    } else if (op == TemplateOp::Block) {
      check_name(name);
      add(op).text = name;
    } else {
      add_path(op, name);
    }
    open_tags_.push_back({op, name, at});
  }

  void close(std::string_view name) {
    if (open_tags_.empty()) fail("'" + std::string(name) + "' is closed, but was not opened");
    OpenTag tag = std::move(open_tags_.back());
    if (tag.name != name) {
      fail("'" + std::string(name) + "' is closed, but '" + std::string(tag.name) + "' of line " +
           std::to_string(program_.code[tag.instruction].line) + " is open");
    }
    open_tags_.pop_back();
    if (tag.op == TemplateOp::Section) {
      add(TemplateOp::SectionEnd).jump = static_cast<std::uint32_t>(tag.instruction + 1);
    } else if (tag.op == TemplateOp::Block) {
      add(TemplateOp::BlockEnd);
      if (!open_tags_.empty() && open_tags_.back().op == TemplateOp::Parent) {
        open_tags_.back().overrides.push_back({tag.name, static_cast<std::uint32_t>(tag.instruction + 1)});
      }
    }
    TemplateInstruction& opened = program_.code[tag.instruction];
    opened.jump = static_cast<std::uint32_t>(program_.code.size());
    if (tag.op != TemplateOp::Parent) return;
    opened.first = static_cast<std::uint32_t>(program_.overrides.size());
    opened.count = static_cast<std::uint32_t>(tag.overrides.size());
    program_.overrides.insert(program_.overrides.end(), tag.overrides.begin(), tag.overrides.end());
  }

  TemplateProgram& program_;
  const std::string_view source_;
  std::vector<TemplateReference>& references_;
  const std::span<const TemplateAssets> assets_;
  std::string open_ = "{{";
  std::string close_ = "}}";
  std::size_t at_ = 0;       // behind the last tag
  std::size_t counted_ = 0;  // line_ is that of this place
  std::uint32_t line_ = 1;
  std::vector<OpenTag> open_tags_;
};

}  // namespace

void compile_template(TemplateProgram& program, std::vector<TemplateReference>& references,
                      std::span<const TemplateAssets> assets) {
  Compiler(program, references, assets).run();
}

}  // namespace tern::web
