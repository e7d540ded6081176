// RedisError: why a command has no result.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tern {

enum class RedisFault : std::uint8_t {
  Unavailable,  // there is no connection; the command was not sent
  Lost,         // the connection was lost before the reply: the command may or may not have been executed
  TimedOut,     // no reply within RedisOptions::timeout; the command may be executed later
  Overloaded,   // too many unanswered commands of this loop (RedisOptions::max_queued); it was not sent
  Refused,      // Redis has replied with an error: see RedisError::code()
  Type,         // the reply is not of the requested type
};

// Of a server that is away, busy or unwilling, and of a reply that cannot be converted. The text is for the log, not
// for clients; it contains the name of the command, and no arguments.
class RedisError : public std::runtime_error {
public:
  RedisError(RedisFault fault, const std::string& text) : std::runtime_error(text), fault_(fault) {}
  RedisError(RedisFault fault, const std::string& text, std::string code)
      : std::runtime_error(text), fault_(fault), code_(std::move(code)) {}

  RedisFault fault() const noexcept { return fault_; }
  // The first word of an error of Redis: "WRONGTYPE", "NOSCRIPT", "OOM", "ERR". Empty for other faults.
  std::string_view code() const noexcept { return code_; }

private:
  RedisFault fault_;
  std::string code_;
};

}  // namespace tern
