// Opening files below a folder, and nothing outside of it.
#pragma once

#include <tern/http/file_range.hpp>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tern::web {

// What identifies a version of a file.
struct FileStatus {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // in nanoseconds since 1970
  std::int64_t changed = 0;   // of the inode

  friend bool operator==(const FileStatus&, const FileStatus&) = default;
};

struct OpenFile {
  http::SharedFile file;
  FileStatus status;
  bool is_folder = false;
};

// The error is an errno.
using OpenResult = std::expected<OpenFile, int>;

// Whether a path from a client names a visible file: no empty segment, and none that begins with a dot, except
// ".well-known" (RFC 8615). A slash at the end is allowed, and so is the empty path.
bool is_visible_path(std::string_view path) noexcept;

// Opens a regular file or a folder by a path of the program. ENOENT for devices, sockets and pipes.
OpenResult open_file(const std::string& path);

// Thread-safe.
class Folder {
public:
  // Throws std::system_error.
  explicit Folder(const std::string& path);

  // Opens a regular file or a folder. `path` is relative; symlinks may lead anywhere within this folder. ENOENT for
  // devices, sockets and pipes, EXDEV for a path that leaves the folder, also by a symlink.
  OpenResult open(const std::string& path) const;

  // The status of the regular file at the path, on a loop: only if the kernel has the path in its cache. Otherwise
  // EAGAIN, and other errors as open() has them.
  std::expected<FileStatus, int> look_up_cached(const std::string& path) const;

  // open() without openat2(), for kernels and sandboxes that lack it: symlinks are refused (ELOOP).
  OpenResult open_without_symlinks(std::string_view path) const;

private:
  http::SharedFile folder_;
};

}  // namespace tern::web
