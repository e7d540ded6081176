// The templates of a folder, compiled together.
#pragma once

#include "web/template_program.hpp"

#include <tern/web/templates.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

struct TemplateSource {
  std::string name;  // without the extension
  std::string file;  // for messages
  std::string text;
};

// Immutable.
class TemplateSet {
public:
  // Throws TemplateError.
  TemplateSet(std::vector<TemplateSource> sources, const TemplateOptions& options);

  // With or without the extension. Throws std::out_of_range.
  const TemplateProgram& find(std::string_view name) const;

private:
  const TemplateProgram* lookup(std::string_view name) const;
  void check_recursion(const TemplateProgram& program, std::vector<const TemplateProgram*>& path,
                       std::set<const TemplateProgram*>& checked) const;

  const std::string extension_;
  std::map<std::string, std::unique_ptr<TemplateProgram>, std::less<>> programs_;
};

using SharedTemplateSet = std::shared_ptr<const TemplateSet>;

// Thread-safe.
class TemplateStore {
public:
  TemplateStore(std::string_view folder, const TemplateOptions& options);
  TemplateStore(const EmbeddedFolder& folder, const TemplateOptions& options);

  // With TemplateOptions::reload, compiled again if a file has changed; a mistake is an HttpError then.
  SharedTemplateSet current();

private:
  struct Change {
    std::string path;
    std::filesystem::file_time_type modified = {};
    std::uintmax_t size = 0;
    friend bool operator==(const Change&, const Change&) = default;
  };

  std::vector<Change> look() const;
  SharedTemplateSet compile() const;

  const std::string folder_;
  const TemplateOptions options_;
  std::mutex mutex_;  // guards the rest, where templates are reloaded
  std::vector<Change> seen_;
  SharedTemplateSet set_;  // null after a mistake
};

}  // namespace tern::web
