// RedisOptions: which Redis, and how it is used. For RedisBus, and for the client Redis.
#pragma once

#include <tern/base/duration.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

// TLS 1.2 or 1.3. The server's certificate must be valid, and name the host.
struct RedisTls {
  bool enabled = false;
  std::string ca_file = {};           // PEM: the authorities that may have signed it; empty: those of the system
  std::string server_name = {};       // that it must name, if not the host
  std::string certificate_file = {};  // PEM: the client's certificate and its chain, if the server wants one
  std::string key_file = {};          // PEM, without a passphrase
};

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
  // For connecting to an address, with the handshake of TLS, and for the answer to a command; also limits how long a
  // bus delays the server's start.
  Milliseconds timeout = Seconds(5);
  // Interval of the bus's checks; Redis counts as lost after at most two without an answer. Zero: no checks.
  Milliseconds ping = Seconds(10);
  Milliseconds retry = Seconds(5);  // the longest delay between two attempts to connect
  // Its files are read when the client is made, or the bus starts. Last: before, GCC 12 warns of each temporary.
  RedisTls tls = {};

  // Of "redis://user:password@host:port/database", or "rediss://…" for TLS. All but the host may be missing; user and
  // password are percent-decoded. Throws std::invalid_argument, without the password.
  static RedisOptions from_url(std::string_view url);
};

}  // namespace tern
