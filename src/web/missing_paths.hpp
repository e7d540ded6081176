// The paths that had no file when they were looked at last: those of a single-page app, and of programs that scan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace tern::web {

// Bounded: a path replaces the one with the same place in the table. Thread-safe.
class MissingPaths {
public:
  // For so long no other look is needed, in milliseconds.
  static constexpr std::uint64_t validity = 1000;
  static constexpr std::size_t max_path_bytes = 256;  // longer ones are not kept
  static constexpr std::size_t max_paths = 1024;

  // Whether the path was missing within the last second. `now` in milliseconds, of any clock.
  bool contains(std::string_view path, std::uint64_t now) const;
  void put(std::string_view path, std::uint64_t now);

private:
  struct Entry {
    std::string path;
    std::uint64_t seen = 0;
  };

  mutable std::mutex mutex_;  // guards the entries
  std::array<Entry, max_paths> entries_;
};

}  // namespace tern::web
