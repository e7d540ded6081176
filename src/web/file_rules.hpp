// What the options of files say about a file by its path: its media type, and its Cache-Control.
#pragma once

#include <tern/web/files.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

inline constexpr std::string_view immutable_for_a_year = "max-age=31536000, immutable";

// Thread-safe.
class FileRules {
public:
  // Throws std::invalid_argument for contradictory directives.
  explicit FileRules(const FileOptions& options);

  std::string_view media_type(std::string_view path) const;
  std::string cache_control(std::string_view path, std::string_view media_type) const;

private:
  const std::vector<FileCacheRule> rules_;
  const std::vector<FileType> types_;
  const bool hashed_names_;
  const std::vector<std::string> cache_controls_;  // of rules_
};

// Whether the name has a hash of its content, as bundlers write it: "app-3f9a61c2.js", "index.BkR3xq1Z.css".
bool has_content_hash(std::string_view path) noexcept;

// Whether the text matches the pattern, where '*' is any text.
bool matches_pattern(std::string_view pattern, std::string_view text) noexcept;

}  // namespace tern::web
