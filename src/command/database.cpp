#include "command/database.hpp"

#include <stdexcept>
#include <string_view>

namespace tern::command {

std::shared_ptr<const sql::Database> open_database(const std::string& url, bool must_exist) {
  if (url.starts_with("postgresql://") || url.starts_with("postgres://")) return open_postgres(url);
  constexpr std::string_view sqlite = "sqlite:";
  if (url.starts_with(sqlite)) return open_sqlite(url.substr(sqlite.size()), must_exist);
  if (const std::size_t scheme = url.find("://"); scheme != std::string::npos) {
    throw std::runtime_error("there is no driver for " + url.substr(0, scheme) +
                             ": a database is sqlite:PATH, the path of a file, or postgresql://…");
  }
  return open_sqlite(url, must_exist);
}

}  // namespace tern::command
