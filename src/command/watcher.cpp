#include "command/watcher.hpp"

#include <sys/inotify.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace tern::command {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t changes = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE;

constexpr std::array<std::string_view, 32> suffixes = {
    ".c",     ".cc",   ".cpp", ".cxx",   ".h",    ".hh",   ".hpp",      ".hxx",  ".ipp", ".inl", ".tpp",
    ".cmake", ".html", ".htm", ".css",   ".js",   ".mjs",  ".ts",       ".svg",  ".png", ".jpg", ".jpeg",
    ".gif",   ".webp", ".ico", ".woff2", ".json", ".toml", ".mustache", ".yaml", ".yml", ".sql"};

// Absolute first: weakly_canonical() leaves a relative path relative if nothing of it exists, as a build folder before
// the first build.
fs::path whole_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path : whole;
}

}  // namespace

bool is_source(std::string_view file_name) {
  if (file_name.empty() || file_name.front() == '.' || file_name.front() == '#') return false;  // of editors
  if (file_name == "CMakeLists.txt") return true;
  const std::size_t dot = file_name.rfind('.');
  return dot != std::string_view::npos && std::ranges::count(suffixes, file_name.substr(dot)) > 0;
}

Watcher::Watcher(const std::vector<fs::path>& folders, fs::path ignored)
    : queue_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), ignored_(whole_path(ignored)) {
  if (!queue_) fail("inotify_init1");
  for (const fs::path& folder : folders) add(whole_path(folder));
}

void Watcher::add(const fs::path& folder) {
  if (folder == ignored_) return;
  const int watch = ::inotify_add_watch(queue_.number(), folder.c_str(), changes | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (watch < 0) {
    const bool is_removed = errno == ENOENT || errno == ENOTDIR;
    if (is_removed || errno == EACCES) return;
    fail("cannot watch " + folder.string());
  }
  folders_[watch] = folder;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unreadable;
    const bool is_folder = entry->is_directory(unreadable) && !entry->is_symlink(unreadable);
    if (is_folder && !entry->path().filename().string().starts_with('.')) add(entry->path());
  }
}

bool Watcher::take() {
  bool has_changed = false;
  alignas(inotify_event) std::array<char, 64 * 1024> buffer{};
  for (ssize_t size = 0; (size = ::read(queue_.number(), buffer.data(), buffer.size())) > 0;) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const std::string_view name = event.len > 0 ? buffer.data() + at + sizeof event : "";
      at += sizeof event + event.len;
      const bool is_folder = (event.mask & IN_ISDIR) != 0;
      if ((event.mask & IN_Q_OVERFLOW) != 0) has_changed = true;
      if ((event.mask & IN_IGNORED) != 0) folders_.erase(event.wd);
      if (is_folder && (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0 && !name.starts_with('.')) {
        // Files may be in it already; their events would come too early for the watch.
        if (const auto parent = folders_.find(event.wd); parent != folders_.end()) {
          const fs::path folder = parent->second / name;
          add(folder);
          has_changed = has_changed || folder != ignored_;
        }
      }
      const bool is_written = (event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)) != 0;
      if (!is_folder && is_written && is_source(name)) has_changed = true;
    }
  }
  return has_changed;
}

}  // namespace tern::command
