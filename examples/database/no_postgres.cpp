// open_postgres() of a build without the component tern::postgres.
#include "open.hpp"

#include <stdexcept>

namespace examples {

Database open_postgres(const std::string&) {
  throw std::runtime_error("this build has no PostgreSQL; --database FILE uses SQLite");
}

}  // namespace examples
