// tern migrate: runs the migrations of a folder, or tells their states.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tern::command {

struct MigrateArguments {
  std::string database = {};  // "sqlite:PATH", the path of an SQLite file, or "postgresql://…"
  std::string folder = "migrations";
  std::uint32_t last = std::numeric_limits<std::uint32_t>::max();  // the largest number that is run
  bool status = false;                                             // changes nothing
};

struct MigrateResult {
  std::string text;      // a line for each migration that was run, or for the state of each
  bool complete = true;  // of `status`: every migration was run as it is
  std::string failure;   // why the first that is not in `text` was not run; empty: none failed
};

// Blocks. Throws std::exception for a database or folder that cannot be opened.
MigrateResult migrate(const MigrateArguments& arguments);

}  // namespace tern::command
