// The sources of a project, watched for changes (inotify).
#pragma once

#include "command/process.hpp"

#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tern::command {

// Whether a change of that file is one of the program: sources, CMake's files, templates, assets and configuration.
// What programs write themselves, such as databases and logs, is not.
bool is_source(std::string_view file_name);

class Watcher {
public:
  // Watches `folders` and everything below, but `ignored`, hidden folders and symbolic links. Throws std::system_error.
  Watcher(const std::vector<std::filesystem::path>& folders, std::filesystem::path ignored);

  // Readable, for poll(), when something has happened.
  int descriptor() const noexcept { return queue_.number(); }
  // Reads what has happened; whether a source was among it.
  bool take();

private:
  void add(const std::filesystem::path& folder);

  Handle queue_;
  std::filesystem::path ignored_;
  std::unordered_map<int, std::filesystem::path> folders_;
};

}  // namespace tern::command
