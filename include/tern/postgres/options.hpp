// PostgresOptions: where a PostgreSQL is, and how it is used.
#pragma once

#include <tern/base/duration.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern {

// What statements do while no connection can be made.
enum class WhenAway : std::uint8_t {
  Fail,  // throw SqlError (Unavailable) at once
  Wait,  // wait for a connection, up to `max_wait`
};

// Connections are of one loop each: numbers of connections and statements are per loop.
struct PostgresOptions {
  // "postgresql://user@host/database?sslmode=verify-full", or "host=… dbname=…", as libpq takes them: with several
  // hosts, target_session_attrs, service and so on. What it does not name comes from the variables PGHOST, PGUSER …
  std::string url;

  unsigned min_connections = 1;  // kept open when they are idle; made after the first statement
  unsigned max_connections = 8;
  unsigned max_pipelined = 64;                   // statements under way on one connection
  std::size_t max_waiting = 1024;                // statements and transactions that wait for a connection
  Milliseconds max_wait = Seconds(5);            // for a connection
  Milliseconds statement_timeout = Seconds(30);  // zero: none
  Milliseconds connect_timeout = Seconds(5);     // for each address of each host
  Milliseconds idle_timeout = Seconds(300);      // then a connection beyond min_connections is closed
  Milliseconds max_lifetime = Seconds(3600);     // then a connection is replaced, when it is not used; zero: never
  Milliseconds check_interval = Seconds(30);     // an idle connection is asked whether it still works
  Milliseconds retry = Seconds(5);               // the longest pause between attempts to connect
  WhenAway when_away = WhenAway::Fail;

  std::size_t statement_cache = 256;  // prepared statements of one connection
  bool transaction_pooling = false;   // behind pgbouncer with pool_mode = transaction: nothing is kept in sessions
  std::size_t max_message = 64 * 1024 * 1024;  // bytes of one row
};

}  // namespace tern
