// How a connection is made: the hosts of the connection string, one address after the other.
#pragma once

#include "postgres/connection.hpp"

#include <memory>
#include <string>

namespace tern::postgres {

// Makes one connection on the current loop, in `made`. The fault of the last address, or empty. Throws Cancelled,
// Overloaded and std::bad_alloc.
Task<std::string> connect_any(Connection::Owner& owner, const PostgresOptions& options, Executor& executor,
                              std::unique_ptr<Connection>& made);

constexpr Milliseconds initial_backoff{50};

}  // namespace tern::postgres
