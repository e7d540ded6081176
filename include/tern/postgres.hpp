// The component tern::postgres: databases of PostgreSQL.
#pragma once

#include <tern/postgres/bus.hpp>
#include <tern/postgres/copy.hpp>
#include <tern/postgres/notification.hpp>
#include <tern/postgres/options.hpp>
#include <tern/postgres/postgres.hpp>
#include <tern/sql.hpp>
