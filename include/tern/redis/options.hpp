// RedisOptions: which Redis, and how it is used. For RedisBus, and for the client Redis.
#pragma once

#include <tern/base/duration.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern {

struct RedisOptions {
  std::string host = "127.0.0.1";  // an address or a name
  std::uint16_t port = 6379;
  std::string unix_path = {};  // connects to a Unix socket if set
  std::string username = {};   // empty: Redis's default user
  std::string password = {};   // empty: none
  unsigned database = 0;       // of the client; publications reach all databases
  // Of the bus's channels, and of the keys of RedisStore and RedisRateStore. Servers with the same prefix exchange
  // publications, also across Redis databases, and share entries and rate limits.
  std::string prefix = "tern";
  // Bytes that are unsent or not answered. Beyond, publications are dropped, and commands of that loop fail.
  std::size_t max_queued = 4 * 1024 * 1024;
  // Of a reply to a command, with 64 bytes for each value in it. A larger one ends the connection.
  std::size_t max_reply = 64 * 1024 * 1024;
  // For connecting to an address, and for the answer to a command; also limits how long a bus delays the server's
  // start.
  Milliseconds timeout = Seconds(5);
  // Interval of the bus's checks; Redis counts as lost after at most two without an answer. Zero: no checks.
  Milliseconds ping = Seconds(10);
  Milliseconds retry = Seconds(5);  // the longest delay between two attempts to connect
};

}  // namespace tern
