// What a server logs, and where to.
#pragma once

#include <tern/base/duration.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tern {

enum class AccessLog : std::uint8_t { Off, Common, Combined, Json, Logfmt };
enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error, Off };
// Of the error log: text for people, in colours on a terminal; or a JSON object or logfmt in each line, for programs.
enum class LogFormat : std::uint8_t { Text, Json, Logfmt };
// Where the error log goes: a file or standard error, or the socket of systemd's journal or of the system's syslog.
enum class LogTarget : std::uint8_t { File, Journal, Syslog };

struct PartLevel {
  std::string part;
  LogLevel level = LogLevel::Info;
};

struct LogOptions {
  AccessLog access = AccessLog::Off;
  std::string access_file = {};     // empty: standard output
  LogLevel level = LogLevel::Info;  // of the error log
  // Empty: standard error. With another target, the path of its socket; empty: the usual one.
  std::string error_file = {};
  LogFormat format = LogFormat::Text;
  LogTarget target = LogTarget::File;
  std::vector<PartLevel> levels = {};  // of parts that have another level: {"tls", LogLevel::Debug}; see Logger
  // Names of more fields of lines, and of parameters in access logs, whose values are secret, beside "authorization",
  // "cookie", "password", "token" and the like. They are written as "[redacted]".
  std::vector<std::string> secrets = {};
  // A line of the error log that comes more often than so within `repeat_time` is counted instead, and reported at its
  // end. 0: all are written.
  unsigned max_repeats = 20;
  Milliseconds repeat_time = Seconds(10);
  // A request that takes longer has a line in the error log, which says where its time went. Zero: none.
  Milliseconds slow = Milliseconds(0);
  // A loop that does not get to its sockets for so long is reported with the stack of where it is, once for each place;
  // a thread looks for that, and interrupts the loop by SIGURG. 100 ms is useful. Zero: off.
  Milliseconds stall = Milliseconds(0);
  // One of so many requests of each loop has a line in the access log, and each with a status of 5xx, or that takes
  // longer than `slow`. 0 counts as 1.
  unsigned access_one_in = 1;
};

}  // namespace tern
