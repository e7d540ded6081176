#include "command/database.hpp"

#include <tern/sqlite.hpp>

#include <filesystem>
#include <stdexcept>

namespace tern::command {

std::shared_ptr<const sql::Database> open_sqlite(const std::string& path, bool must_exist) {
  if (path.empty() || path.starts_with("//")) throw std::runtime_error("a file of SQLite is sqlite:PATH, without //");
  std::error_code error;
  if (must_exist && !std::filesystem::exists(path, error)) throw std::runtime_error("there is no file " + path);
  return std::make_shared<Sqlite>(SqliteOptions{.path = path, .read_only = must_exist});
}

}  // namespace tern::command
