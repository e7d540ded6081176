// tern dev: builds a project when it changes, and runs its program on a socket that stays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern::command {

struct DevArguments {
  std::string source = ".";
  std::string build = "build";
  std::string program;  // empty: that of the project's name, in the build folder
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;              // 0: a free one
  std::vector<std::string> watched = {};  // more folders
  std::vector<std::string> arguments = {};
};

// Blocks until SIGINT or SIGTERM. Returns the exit status; throws std::system_error if the address cannot be bound or a
// folder not be watched.
int run_dev(const DevArguments& arguments);

}  // namespace tern::command
