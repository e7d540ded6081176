#include "web/missing_paths.hpp"

#include <functional>

namespace tern::web {
namespace {

std::size_t place_of(std::string_view path) noexcept {
  return std::hash<std::string_view>()(path) % MissingPaths::max_paths;
}

}  // namespace

bool MissingPaths::contains(std::string_view path, std::uint64_t now) const {
  if (path.empty() || path.size() > max_path_bytes) return false;
  const std::size_t place = place_of(path);
  const std::lock_guard lock(mutex_);
  const Entry& entry = entries_[place];
  return entry.path == path && now - entry.seen < validity;
}

void MissingPaths::put(std::string_view path, std::uint64_t now) {
  if (path.size() > max_path_bytes) return;
  const std::size_t place = place_of(path);
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[place];
  entry.path = path;
  entry.seen = now;
}

}  // namespace tern::web
