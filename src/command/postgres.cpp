#include "command/database.hpp"

#include <tern/postgres.hpp>

namespace tern::command {

std::shared_ptr<const sql::Database> open_postgres(const std::string& url) {
  return std::make_shared<Postgres>(url);
}

}  // namespace tern::command
