// The database: SQLite, a file.
#pragma once

#include <tern/sqlite.hpp>

using Database = tern::Sqlite;
using DatabaseOptions = tern::SqliteOptions;

inline const DatabaseOptions default_database = {.path = "@NAME@.db"};

// At the start, before the first request: runs the migrations that this database has not seen.
tern::Task<> prepare(Database database);
