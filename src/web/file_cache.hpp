// The resources that were served last: contents in memory, and open files.
#pragma once

#include "web/resource.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tern::web {

// Bounded: the least recently used ones are dropped first. Thread-safe.
class FileCache {
public:
  // For so long a resource is used without another look at its files, in milliseconds.
  static constexpr std::uint64_t validity = 1000;
  static constexpr std::uint64_t max_renewed = 30'000;  // and renewed for so long
  static constexpr std::size_t max_entries = 16 * 1024;

  FileCache(std::size_t max_bytes, std::size_t max_open_files) noexcept
      : max_bytes_(max_bytes), max_open_files_(max_open_files) {}

  // The resource of that path, if it was looked at within the last second. `now` in milliseconds, of any clock.
  SharedResource find(std::string_view path, std::uint64_t now);
  // Of any age.
  SharedResource find_stale(std::string_view path);
  // The same, if its files were opened within the last half minute.
  SharedResource find_known(std::string_view path, std::uint64_t now);
  // The resource was looked at again, and is unchanged.
  void renew(std::string_view path, const SharedResource& resource, std::uint64_t now);
  void put(std::string_view path, SharedResource resource, std::uint64_t now);
  void erase(std::string_view path);

  std::size_t bytes() const;
  std::size_t open_files() const;

private:
  struct Entry {
    std::string path;
    SharedResource resource;
    std::uint64_t seen = 0;
    std::uint64_t opened = 0;
    std::size_t bytes = 0;
    std::size_t open_files = 0;
  };
  using Entries = std::list<Entry>;  // the last used first

  void drop(Entries::iterator entry);

  const std::size_t max_bytes_;
  const std::size_t max_open_files_;
  mutable std::mutex mutex_;  // guards the rest
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> by_path_;
  std::size_t bytes_ = 0;
  std::size_t open_files_ = 0;
};

}  // namespace tern::web
