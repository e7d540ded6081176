#include "web/template_store.hpp"

#include "web/template_compiler.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace tern::web {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_template_size = 4 * 1024 * 1024;

std::string_view without(std::string_view extension, std::string_view name) noexcept {
  if (name.ends_with(extension)) name.remove_suffix(extension.size());
  return name;
}

std::string read_template(const fs::path& path) {
  if (fs::file_size(path) > max_template_size) throw TemplateError(path.string(), 1, "a template has at most 4 MiB");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw TemplateError(path.string(), 1, "the file cannot be read");
  return text;
}

}  // namespace

TemplateSet::TemplateSet(std::vector<TemplateSource> sources, const TemplateOptions& options)
    : extension_(options.extension) {
  std::vector<std::pair<TemplateProgram*, std::vector<TemplateReference>>> compiled;
  for (TemplateSource& source : sources) {
    auto program = std::make_unique<TemplateProgram>();
    program->file = std::move(source.file);
    program->source = std::move(source.text);
    std::vector<TemplateReference> references;
    compile_template(*program, references, options.assets);
    compiled.emplace_back(program.get(), std::move(references));
    programs_.emplace(std::move(source.name), std::move(program));
  }
  for (const auto& [program, references] : compiled) {
    for (const auto& [at, name] : references) {
      TemplateInstruction& instruction = program->code[at];
      instruction.target = lookup(name);
      if (instruction.target != nullptr) continue;
      throw TemplateError(program->file, instruction.line, "there is no template '" + std::string(name) + "'");
    }
  }
  std::vector<const TemplateProgram*> path;
  std::set<const TemplateProgram*> checked;
  for (const auto& [name, program] : programs_) check_recursion(*program, path, checked);
}

const TemplateProgram* TemplateSet::lookup(std::string_view name) const {
  const auto found = programs_.find(without(extension_, name));
  return found == programs_.end() ? nullptr : found->second.get();
}

const TemplateProgram& TemplateSet::find(std::string_view name) const {
  if (const TemplateProgram* program = lookup(name)) return *program;
  throw std::out_of_range("there is no template '" + std::string(name) + "'");
}

// Of partials that are included in any case, and so without end. Looks at each program once.
void TemplateSet::check_recursion(const TemplateProgram& program, std::vector<const TemplateProgram*>& path,
                                  std::set<const TemplateProgram*>& checked) const {
  if (checked.contains(&program)) return;
  path.push_back(&program);
  for (const TemplateInstruction& each : program.code) {
    if (each.target == nullptr || each.is_conditional) continue;
    if (std::ranges::find(path, each.target) != path.end()) {
      throw TemplateError(program.file, each.line, "'" + each.target->file + "' includes itself without end");
    }
    check_recursion(*each.target, path, checked);
  }
  path.pop_back();
  checked.insert(&program);
}

TemplateStore::TemplateStore(std::string_view folder, const TemplateOptions& options)
    : folder_(folder), options_(options) {
  seen_ = look();
  set_ = compile();
}

TemplateStore::TemplateStore(const EmbeddedFolder& folder, const TemplateOptions& options) : options_(options) {
  if (options.reload) throw std::runtime_error("embedded templates cannot be reloaded");
  std::vector<TemplateSource> sources;
  for (const EmbeddedFile& file : folder.files()) {
    if (!file.path.ends_with(options.extension)) continue;
    sources.push_back({std::string(without(options.extension, file.path)), std::string(file.path),
                       std::string(file.variants.front().content)});
  }
  set_ = std::make_shared<TemplateSet>(std::move(sources), options);
}

SharedTemplateSet TemplateStore::current() {
  if (!options_.reload) return set_;
  const std::lock_guard lock(mutex_);
  std::vector<Change> now = look();
  if (set_ == nullptr || now != seen_) {
    set_ = nullptr;
    try {
      set_ = compile();
    } catch (const TemplateError& error) {
      throw HttpError(Status::InternalServerError, error.what());
    }
    seen_ = std::move(now);
  }
  return set_;
}

std::vector<TemplateStore::Change> TemplateStore::look() const {
  std::vector<Change> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(options_.extension) || !entry.is_regular_file()) continue;
    files.push_back({path, entry.last_write_time(), entry.file_size()});
  }
  std::ranges::sort(files, {}, &Change::path);
  return files;
}

SharedTemplateSet TemplateStore::compile() const {
  std::vector<TemplateSource> sources;
  for (const Change& file : look()) {
    const std::string name = fs::path(file.path).lexically_relative(folder_).generic_string();
    sources.push_back({std::string(without(options_.extension, name)), file.path, read_template(file.path)});
  }
  return std::make_shared<TemplateSet>(std::move(sources), options_);
}

}  // namespace tern::web
