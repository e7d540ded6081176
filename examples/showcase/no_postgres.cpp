// open_postgres() of a build without the component tern::postgres.
#include "database.hpp"

#include <stdexcept>

namespace showcase {

Database open_postgres(const std::string&) {
  throw std::runtime_error("this build has no PostgreSQL; --database FILE keeps the notes in SQLite");
}

}  // namespace showcase
