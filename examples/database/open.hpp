// Opens SQLite or PostgreSQL by an address, for examples that run on both.
#pragma once

#include <tern/sql.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace examples {

struct Database {
  std::shared_ptr<const tern::sql::Database> handle;
  std::string name;  // for people
  bool is_postgres = false;

  const tern::sql::Database* operator->() const { return handle.get(); }
};

// `address` is the path of a file, which is created if it does not exist, ":memory:", or postgresql://… Throws SqlError
// if it cannot be opened, std::runtime_error for PostgreSQL in a build without it.
Database open_database(const std::string& address);

bool names_postgres(std::string_view address);
Database open_postgres(const std::string& address);

}  // namespace examples
