// The database of the notes: SQLite, or PostgreSQL.
#pragma once

#include <tern/sql.hpp>

#include <memory>
#include <string>
#include <vector>

namespace showcase {

struct Database {
  std::shared_ptr<const tern::sql::Database> handle;
  std::string name;  // for people
  std::vector<tern::sql::Migration> migrations;
};

// `address` is the path of a file, which is created if it does not exist, ":memory:", or the URL of a PostgreSQL
// database. Throws SqlError if SQLite cannot open the file, std::runtime_error if the build has no PostgreSQL.
Database open_database(const std::string& address);

bool is_postgres(const std::string& address);
Database open_postgres(const std::string& address);

}  // namespace showcase
