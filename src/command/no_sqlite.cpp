// open_sqlite() of a build without the component tern::sqlite.
#include "command/database.hpp"

#include <stdexcept>

namespace tern::command {

std::shared_ptr<const sql::Database> open_sqlite(const std::string&, bool) {
  throw std::runtime_error("this build of tern has no SQLite");
}

}  // namespace tern::command
