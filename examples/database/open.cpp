#include "open.hpp"

#include <tern/sqlite.hpp>

#include <filesystem>

namespace examples {

Database open_database(const std::string& address) {
  if (names_postgres(address)) return open_postgres(address);
  const bool in_memory = address == ":memory:";
  return {
      std::make_shared<tern::Sqlite>(tern::SqliteOptions{.path = address}),
      in_memory ? "SQLite, in memory" : "SQLite, " + std::filesystem::absolute(address).lexically_normal().string()};
}

bool names_postgres(std::string_view address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://");
}

}  // namespace examples
