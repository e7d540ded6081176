// migrate() of a build without databases.
#include "command/migrate.hpp"

#include <stdexcept>

namespace tern::command {

MigrateResult migrate(const MigrateArguments&) {
  throw std::runtime_error("this build of tern has no databases");
}

}  // namespace tern::command
