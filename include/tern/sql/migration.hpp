// Migrations: numbered files that change the schema of a database, each once.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tern::sql {

// A file of statements: "0002_add_isbn.sql".
struct Migration {
  std::string name;
  std::string text;
};

enum class MigrationStatus : std::uint8_t {
  Done,      // was run
  Pending,   // the next migrate() runs it
  Changed,   // was run, and its text has changed since
  Missing,   // was run, and is not among the migrations
  Preceded,  // was not run, and has a smaller number than one that was
};

// What a database knows about a migration.
struct MigrationState {
  std::uint32_t number = 0;
  std::string name;
  MigrationStatus status = MigrationStatus::Pending;
  std::string run_at;  // UTC, as the database writes it; empty if it was not run
};

// For Database::migrate(): up to the one with the largest number.
inline constexpr std::uint32_t every_migration = std::numeric_limits<std::uint32_t>::max();

// The files of `folder` whose names end in ".sql". Blocks. Throws SqlError (Migration) if it cannot be read.
std::vector<Migration> read_migrations(const std::string& folder);

}  // namespace tern::sql
