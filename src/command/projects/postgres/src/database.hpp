// The database: PostgreSQL, with a pool of connections for each loop.
#pragma once

#include <tern/postgres.hpp>

using Database = tern::Postgres;
using DatabaseOptions = tern::PostgresOptions;

// What the URL does not name comes from the variables PGHOST, PGUSER and so on; otherwise, the server is on this
// machine.
inline const DatabaseOptions default_database = {.url = "postgresql:///@NAME@"};

// At the start, before the first request: waits for the database, and runs the migrations that it has not seen.
tern::Task<> prepare(Database database);
