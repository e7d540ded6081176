// Files of a folder: opened below it, their metadata, small contents and missing paths cached.
#pragma once

#include "web/file_cache.hpp"
#include "web/file_rules.hpp"
#include "web/file_source.hpp"
#include "web/folder.hpp"
#include "web/missing_paths.hpp"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tern::web {

class FolderSource final : public FileSource {
public:
  // Throws std::system_error if the folder cannot be opened, and std::invalid_argument for contradictory options.
  FolderSource(const std::string& folder, const FileOptions& options);

  bool blocks() const noexcept override { return true; }
  SharedResource find(std::string_view path) override;
  bool is_known_to_be_missing(std::string_view path) const override;
  std::expected<SharedResource, int> load(const std::string& path) override;

private:
  SharedResource renew(std::string_view path, std::uint64_t now);
  std::expected<SharedResource, int> make_resource(const std::string& path, const SharedResource& previous) const;
  std::expected<SharedResource, int> make_folder(const std::string& path, OpenFile folder,
                                                 const SharedResource& previous) const;
  SharedResource make_file(const std::string& path, OpenFile file, const SharedResource& previous) const;

  const Folder folder_;
  const FileOptions options_;
  const FileRules rules_;
  FileCache cache_;
  MissingPaths missing_;
};

}  // namespace tern::web
