#include <tern/http/log.hpp>

#include "http/log_line.hpp"
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

void write_to_standard_error(const http::LogLine& line) {
  const std::string text = http::render(line, {}).text;
  logging::LineFormat format(LogFormat::Text, logging::has_colours(STDERR_FILENO));
  logging::LogFile(STDERR_FILENO)
      .append(logging::is_journal(STDERR_FILENO) ? format.journal_line(line.level, text)
                                                 : format.line(line.level, std::chrono::system_clock::now(), text));
}

void write(const http::LogLine& line) {
  if (line.level >= LogLevel::Off) return;
  const std::lock_guard lock(mutex);
  newest == nullptr ? write_to_standard_error(line) : newest->log.write(line);
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

void log(LogLevel level, std::string_view text, LogFields fields, const std::source_location& place) {
  write({level, http::app_part, text, fields, nullptr, place});
}

void Logger::log(LogLevel level, std::string_view text, LogFields fields, const Place& place) const {
  write({level, part_, text, fields, nullptr, place});
}

}  // namespace tern
