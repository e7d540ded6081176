#include "web/folder.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <system_error>

namespace tern::web {
namespace {

// Without O_NONBLOCK, opening a pipe would wait for its writer.
constexpr int open_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int max_attempts = 16;

// Until the year 2255: later times, which some file systems have, count as that.
std::int64_t nanoseconds(const timespec& time) noexcept {
  constexpr std::int64_t latest = 9'000'000'000;
  return std::clamp(std::int64_t{time.tv_sec}, -latest, latest) * 1'000'000'000 + time.tv_nsec;
}

FileStatus status_of(const struct stat& status) noexcept {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

// Owns the descriptor.
OpenResult examine(int descriptor) {
  OpenFile opened;
  opened.file = http::SharedFile(descriptor);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return std::unexpected(errno);
  opened.is_folder = S_ISDIR(status.st_mode);
  if (!opened.is_folder && !S_ISREG(status.st_mode)) return std::unexpected(ENOENT);
  opened.status = status_of(status);
  return opened;
}

OpenResult examine_opened(int descriptor) {
  return descriptor < 0 ? OpenResult(std::unexpected(errno)) : examine(descriptor);
}

// EAGAIN: another process has renamed something meanwhile, so that the kernel cannot tell whether the path stays below.
int open_beneath(int folder, const char* path) noexcept {
  open_how how{};
  how.flags = open_flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 1;; ++attempt) {
    const long descriptor = ::syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (descriptor >= 0) return static_cast<int>(descriptor);
    if ((errno != EAGAIN && errno != EINTR) || attempt == max_attempts) return -1;
  }
}

}  // namespace

bool is_visible_path(std::string_view path) noexcept {
  if (path.find('\0') != std::string_view::npos) return false;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    if (segment.empty() || (segment.front() == '.' && segment != ".well-known")) return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

OpenResult open_file(const std::string& path) {
  return examine_opened(::open(path.c_str(), open_flags));
}

Folder::Folder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::system_category());
  folder_ = http::SharedFile(descriptor);
}

OpenResult Folder::open(const std::string& path) const {
  const int descriptor = open_beneath(folder_.descriptor(), path.empty() ? "." : path.c_str());
  if (descriptor < 0 && (errno == ENOSYS || errno == EPERM)) return open_without_symlinks(path);
  return examine_opened(descriptor);
}

// A kernel without RESOLVE_CACHED says EINVAL, and one without openat2() ENOSYS: both are a matter for the pool.
std::expected<FileStatus, int> Folder::look_up_cached(const std::string& path) const {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;  // nothing is opened
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED;
  const long descriptor = ::syscall(SYS_openat2, folder_.descriptor(), path.c_str(), &how, sizeof how);
  if (descriptor < 0) return std::unexpected(errno);
  const http::SharedFile file(static_cast<int>(descriptor));
  struct stat status{};
  if (::fstat(file.descriptor(), &status) != 0) return std::unexpected(errno);
  if (!S_ISREG(status.st_mode)) return std::unexpected(ENOENT);
  return status_of(status);
}

OpenResult Folder::open_without_symlinks(std::string_view path) const {
  http::SharedFile at = folder_;
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string segment(path.substr(0, end));
    if (segment == "..") return std::unexpected(EXDEV);
    const bool is_last = end == path.size();
    const int kind = is_last ? open_flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
    const char* name = segment.empty() ? "." : segment.c_str();
    const int descriptor = ::openat(at.descriptor(), name, kind | O_NOFOLLOW);
    if (is_last || descriptor < 0) return examine_opened(descriptor);
    at = http::SharedFile(descriptor);
    path.remove_prefix(end + 1);
  }
}

}  // namespace tern::web
