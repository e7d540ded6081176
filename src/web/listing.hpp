// The page that lists the files of a folder.
#pragma once

#include "web/resource.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

struct ListedFile {
  std::string name;
  bool is_folder = false;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // in seconds since 1970
};

// More files of a folder are not listed, and the page says so.
inline constexpr std::size_t max_listed_files = 10'000;

// Folders first, each part by name. `path` is that of the folder below the root, empty or with a slash at its end.
std::string render_listing(std::string_view path, std::vector<ListedFile> files);

// The page for an open folder: its visible files and folders, and the symlinks that stay within `root`.
SharedResource make_listing(const Folder& root, const http::SharedFile& folder, const std::string& path);

}  // namespace tern::web
