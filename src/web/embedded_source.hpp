// Files that are in the program: all resources are made at the start, their contents are static.
#pragma once

#include "web/file_source.hpp"

#include <tern/web/embedded.hpp>
#include <tern/web/files.hpp>

#include <expected>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tern::web {

class FileRules;

class EmbeddedSource final : public FileSource {
public:
  // Throws std::invalid_argument for contradictory options.
  EmbeddedSource(const EmbeddedFolder& folder, const FileOptions& options);

  bool blocks() const noexcept override { return false; }
  SharedResource find(std::string_view path) override;
  bool is_known_to_be_missing(std::string_view) const override { return false; }  // load() tells at once
  std::expected<SharedResource, int> load(const std::string& path) override;

private:
  void add(const EmbeddedFile& file, const FileRules& rules, bool precompressed);
  void add_folders(std::string_view path);

  // Immutable after the construction. The keys are static.
  std::unordered_map<std::string_view, SharedResource> resources_;
  std::unordered_set<std::string_view> folders_;  // without their slash at the end
  const std::vector<std::string> index_;
};

}  // namespace tern::web
