// The component tern::sql: what all databases with SQL have in common. A driver's header includes it.
#pragma once

#include <tern/sql/batch.hpp>
#include <tern/sql/codec.hpp>
#include <tern/sql/database.hpp>
#include <tern/sql/driver.hpp>
#include <tern/sql/error.hpp>
#include <tern/sql/migration.hpp>
#include <tern/sql/queries.hpp>
#include <tern/sql/rows.hpp>
#include <tern/sql/statement.hpp>
#include <tern/sql/store.hpp>
#include <tern/sql/table.hpp>
#include <tern/sql/text_rows.hpp>
#include <tern/sql/transaction.hpp>
#include <tern/sql/uuid.hpp>
#include <tern/sql/value.hpp>
