#include <tern/http/log.hpp>

#include "tern/running_logs.hpp"

#include <unistd.h>
#include <chrono>
#include <mutex>
#include <utility>

namespace tern {
namespace {

// Neither is destroyed: destructors of static objects may log.
constinit std::mutex mutex;
struct Running {
  logging::Log& log;
  Running* older;
};
constinit Running* newest = nullptr;

void write_to_standard_error(LogLevel level, std::string_view line) {
  logging::LogFile(STDERR_FILENO)
      .append(logging::is_journal(STDERR_FILENO)
                  ? logging::LogFormat::journal_line(level, line)
                  : logging::LogFormat().line(level, std::chrono::system_clock::now(), line));
}

}  // namespace

void RunningLogs::add(logging::Log& log) {
  const std::lock_guard lock(mutex);
  newest = new Running{log, newest};
}

void RunningLogs::remove(logging::Log& log) noexcept {
  const std::lock_guard lock(mutex);
  Running** place = &newest;
  while (&(*place)->log != &log) place = &(*place)->older;
  delete std::exchange(*place, (*place)->older);
}

void log(LogLevel level, std::string_view text, LogFields fields) {
  if (level >= LogLevel::Off) return;
  const std::lock_guard lock(mutex);
  if (newest == nullptr) return write_to_standard_error(level, http::log_line(text, fields));
  logging::Log& log = newest->log;
  if (log.writes(level)) log.write(level, http::log_line(text, fields));
}

}  // namespace tern
