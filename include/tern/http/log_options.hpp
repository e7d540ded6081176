// What a server logs, and where to.
#pragma once

#include <cstdint>
#include <string>

namespace tern {

enum class AccessLog : std::uint8_t { Off, Common, Combined, Json };
enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error, Off };

struct LogOptions {
  AccessLog access = AccessLog::Off;
  std::string access_file = {};     // empty: standard output
  LogLevel level = LogLevel::Info;  // of the error log
  std::string error_file = {};      // empty: standard error
};

}  // namespace tern
