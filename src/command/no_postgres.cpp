// open_postgres() of a build without the component tern::postgres.
#include "command/database.hpp"

#include <stdexcept>

namespace tern::command {

std::shared_ptr<const sql::Database> open_postgres(const std::string&) {
  throw std::runtime_error("this build of tern has no PostgreSQL");
}

}  // namespace tern::command
