// The database of tern migrate.
#pragma once

#include <tern/sql.hpp>

#include <memory>
#include <string>

namespace tern::command {

// By the beginning of `url`; see MigrateArguments. Throws std::runtime_error for another one, and SqlError if it cannot
// be opened. With `must_exist`, a file is not created.
std::shared_ptr<const sql::Database> open_database(const std::string& url, bool must_exist);

// Each throws std::runtime_error in a build without that component.
std::shared_ptr<const sql::Database> open_sqlite(const std::string& path, bool must_exist);
std::shared_ptr<const sql::Database> open_postgres(const std::string& url);

}  // namespace tern::command
