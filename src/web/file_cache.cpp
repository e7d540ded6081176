#include "web/file_cache.hpp"

#include <iterator>
#include <utility>

namespace tern::web {

SharedResource FileCache::find(std::string_view path, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end() || now - found->second->seen >= validity) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->resource;
}

SharedResource FileCache::find_stale(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : found->second->resource;
}

SharedResource FileCache::find_known(std::string_view path, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end() || now - found->second->opened >= max_renewed) return nullptr;
  return found->second->resource;
}

void FileCache::renew(std::string_view path, const SharedResource& resource, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end() || found->second->resource != resource) return;  // it was replaced meanwhile
  found->second->seen = now;
  entries_.splice(entries_.begin(), entries_, found->second);
}

void FileCache::put(std::string_view path, SharedResource resource, std::uint64_t now) {
  Entries entry(1);  // outside of the lock
  entry.front() = {.path = std::string(path), .resource = std::move(resource), .seen = now, .opened = now};
  entry.front().bytes = sizeof(Entry) + path.size();
  for (const Variant& variant : entry.front().resource->variants) {
    entry.front().bytes += variant.content.size();
    entry.front().open_files += variant.file ? 1U : 0U;
  }
  const std::lock_guard lock(mutex_);
  if (const auto old = by_path_.find(path); old != by_path_.end()) drop(old->second);
  if (entry.front().bytes > max_bytes_ || entry.front().open_files > max_open_files_) return;
  by_path_.emplace(entry.front().path, entry.begin());  // may throw; the iterator stays valid
  bytes_ += entry.front().bytes;
  open_files_ += entry.front().open_files;
  entries_.splice(entries_.begin(), entry);
  while (bytes_ > max_bytes_ || open_files_ > max_open_files_ || entries_.size() > max_entries) {
    drop(std::prev(entries_.end()));
  }
}

void FileCache::erase(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_path_.find(path); found != by_path_.end()) drop(found->second);
}

void FileCache::drop(Entries::iterator entry) {
  bytes_ -= entry->bytes;
  open_files_ -= entry->open_files;
  by_path_.erase(entry->path);
  entries_.erase(entry);
}

std::size_t FileCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::size_t FileCache::open_files() const {
  const std::lock_guard lock(mutex_);
  return open_files_;
}

}  // namespace tern::web
