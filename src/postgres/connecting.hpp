// How a connection is made: the hosts of the connection string, one address after the other.
#pragma once

#include "postgres/connection.hpp"

#include <memory>
#include <random>
#include <string>

namespace tern::postgres {

// Makes one connection on the current loop, in `made`. The fault of the last address, or empty. Throws Cancelled,
// Overloaded and std::bad_alloc.
Task<std::string> connect_any(Connection::Owner& owner, const PostgresOptions& options, Executor& executor,
                              std::unique_ptr<Connection>& made);

// Pauses that double with each failure, with jitter, so that loops and servers do not connect at the same time.
class Backoff {
public:
  Backoff() { random_.seed(std::random_device()()); }
  Milliseconds next(Milliseconds longest);
  void reset() noexcept { failures_ = 0; }
  std::minstd_rand& random() noexcept { return random_; }

private:
  std::minstd_rand random_;
  unsigned failures_ = 0;
};

}  // namespace tern::postgres
