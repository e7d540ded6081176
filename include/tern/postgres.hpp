// The component tern::postgres: databases of PostgreSQL.
#pragma once

#include <tern/postgres/options.hpp>
#include <tern/postgres/postgres.hpp>
#include <tern/sql.hpp>
