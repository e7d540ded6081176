// Migrations: numbered files that change the schema of a database, each once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern::sql {

// A file of statements: "0002_add_isbn.sql".
struct Migration {
  std::string name;
  std::string text;
};

// The files of `folder` whose names end in ".sql". Blocks. Throws SqlError (Migration) if it cannot be read.
std::vector<Migration> read_migrations(const std::string& folder);

}  // namespace tern::sql
