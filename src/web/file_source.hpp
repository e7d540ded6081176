// Where the resources behind the paths of a file service come from.
#pragma once

#include "web/resource.hpp"

#include <algorithm>
#include <cerrno>
#include <expected>
#include <iterator>
#include <string>
#include <string_view>

namespace tern::web {

// Whether an errno says that there is nothing to serve at a path.
constexpr bool is_missing(int error) noexcept {
  constexpr int missing[] = {ENOENT, ENOTDIR, ELOOP, EXDEV, EACCES, EPERM, ENAMETOOLONG, EINVAL, ENXIO, ENODEV, EISDIR};
  return std::ranges::find(missing, error) != std::end(missing);
}

// Used by all loops and the pool concurrently. Paths are relative, decoded and visible (is_visible_path); one that is
// empty or ends with a slash is a folder, whose resource is its index file.
class FileSource {
public:
  FileSource() = default;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  virtual ~FileSource() = default;

  // Whether load() may block, so that it runs on the pool.
  virtual bool blocks() const noexcept = 0;
  // What is known without blocking; null: ask load().
  virtual SharedResource find(std::string_view path) = 0;
  // Whether load() would fail with is_missing(), as far as is known without blocking.
  virtual bool is_known_to_be_missing(std::string_view path) const = 0;
  // The resource, one without variants for a folder without its slash, or an errno.
  virtual std::expected<SharedResource, int> load(const std::string& path) = 0;
};

}  // namespace tern::web
