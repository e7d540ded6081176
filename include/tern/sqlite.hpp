// The component tern::sqlite: SQLite, with the functions of <tern/sql.hpp>.
#pragma once

#include <tern/sql.hpp>
#include <tern/sqlite/sqlite.hpp>
