// Postgres: a database of PostgreSQL.
#pragma once

#include <tern/postgres/options.hpp>

#include <tern/coro/task.hpp>
#include <tern/sql/database.hpp>

#include <string>

namespace tern {

namespace postgres {
class PostgresDriver;
}

// A handle: its copies are the same database, whose connections end with the last one. Each loop has connections of its
// own, which are made when its first statement needs them. Only for coroutines on a loop.
//
// Statements outside of transactions share connections: several are under way on one, and those of one iteration of the
// loop leave in one write. A transaction, a row stream and a script have a connection of their own. The database ends a
// statement that is cancelled, or takes longer than statement_timeout.
//
// The outcome of a statement whose connection is lost is unknown (SqlError, Unavailable); nothing is sent twice.
class Postgres final : public sql::Database {
public:
  // Does not connect. Throws std::invalid_argument for invalid options.
  explicit Postgres(PostgresOptions options = {});
  explicit Postgres(std::string url);
  Postgres(const Postgres& other) noexcept;
  Postgres& operator=(const Postgres& other) noexcept;
  ~Postgres();

  // For on_start: throws SqlError (Unavailable) if no connection can be made within `limit`, or at once if that is
  // zero.
  Task<> connect(Milliseconds limit = Milliseconds(0)) const;

private:
  sql::DatabaseDriver& database() const override;

  postgres::PostgresDriver* driver_;  // counts its handles
};

}  // namespace tern
