#include "logging/log.hpp"

#include <tern/base/number.hpp>

#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tern::logging {
namespace {

// Beyond it, lines are dropped and counted, so that a hanging disk does not fill the memory.
constexpr std::size_t max_waiting_bytes = 16 * 1024 * 1024;

spdlog::level::level_enum to_spdlog(LogLevel severity) {
  switch (severity) {
    case LogLevel::Debug: return spdlog::level::debug;
    case LogLevel::Info: return spdlog::level::info;
    case LogLevel::Warning: return spdlog::level::warn;
    case LogLevel::Error: return spdlog::level::err;
    case LogLevel::Off: break;
  }
  return spdlog::level::off;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      out += c;
    } else {
      out.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 0xFU]);
    }
  }
  return out;
}

std::string lost_lines(std::size_t count) {
  return std::to_string(count) + " log lines were lost: they came faster than they are written, or memory was short";
}

LogFile file_of(const std::string& path, int otherwise) {
  return path.empty() ? LogFile(otherwise) : LogFile(path);
}

}  // namespace

LogFormat::LogFormat() : formatter_(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%e%z %l %v")) {}
LogFormat::~LogFormat() = default;

std::string LogFormat::line(LogLevel level, Time time, std::string_view message) {
  const std::string text = escaped(message);
  const spdlog::details::log_msg entry(time, {}, "tern", to_spdlog(level), text);
  spdlog::memory_buf_t line;
  formatter_->format(entry, line);
  return {line.data(), line.size()};
}

std::string LogFormat::journal_line(LogLevel level, std::string_view message) {
  const char* prefix = "<6>";
  if (level == LogLevel::Debug) prefix = "<7>";
  if (level == LogLevel::Warning) prefix = "<4>";
  if (level == LogLevel::Error) prefix = "<3>";
  return prefix + escaped(message) + "\n";
}

bool is_journal(int descriptor) {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  struct stat status{};
  if (stream == nullptr || ::fstat(descriptor, &status) != 0) return false;
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) == stream;
}

Log::Log(const LogOptions& options)
    : level_(options.level),
      to_journal_(options.error_file.empty() && is_journal(STDERR_FILENO)),
      errors_{file_of(options.error_file, STDERR_FILENO), "error log"},
      writer_() {
  if (options.access != AccessLog::Off) accesses_.emplace(file_of(options.access_file, STDOUT_FILENO), "access log");
  writer_ = std::thread([this] { run(); });
}

Log::~Log() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ready_.notify_one();
  writer_.join();
}

void Log::write(LogLevel severity, std::string_view message) noexcept {
  if (!writes(severity)) return;
  attempt(1, [&] { enqueue({false, severity, std::string(message), std::chrono::system_clock::now()}); });
}

void Log::failure(std::string_view what, const std::exception_ptr& thrown) noexcept {
  attempt(1, [&] {
    std::string message(what);
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      message.append(": ").append(exception.what());
    } catch (...) {
      message.append(": an exception that is no std::exception");
    }
    error(message);
  });
}

void Log::access(std::string lines) noexcept {
  if (lines.empty()) return;
  const auto count = static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  attempt(count, [&] { enqueue({true, LogLevel::Info, std::move(lines)}); });
}

void Log::reopen() noexcept {
  {
    const std::lock_guard lock(mutex_);
    reopening_ = true;
  }
  ready_.notify_one();
}

std::size_t Log::lines_of(const Item& item) noexcept {
  return item.is_access ? static_cast<std::size_t>(std::ranges::count(item.text, '\n')) : 1;
}

// The writer is woken by the first of a batch only: it takes all that have come until it looks again.
void Log::enqueue(Item item) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_bytes_ + item.text.size() > max_waiting_bytes) {
      const std::size_t lines = lines_of(item);
      dropped_ += lines;
      lost_.fetch_add(lines, std::memory_order_relaxed);
      return;
    }
    first = items_.empty();
    items_.push_back(std::move(item));
    waiting_bytes_ += items_.back().text.size();
  }
  if (first) ready_.notify_one();
}

template <class F>
void Log::attempt(std::size_t lines, F&& f) noexcept {
  try {
    f();
  } catch (const std::bad_alloc&) {
    lose(lines);
  }
}

// The next line wakes the writer.
void Log::lose(std::size_t lines) noexcept {
  lost_.fetch_add(lines, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  dropped_ += lines;
}

void Log::run() noexcept {
  // A file at its size limit, or a pipe without a reader, loses lines instead of killing the process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::vector<Item> batch;
  while (true) {
    std::size_t dropped = 0;
    bool ending = false;
    bool reopening = false;
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return ending_ || reopening_ || !items_.empty(); });
      batch.swap(items_);
      waiting_bytes_ = 0;
      dropped = std::exchange(dropped_, 0);
      ending = ending_;
      reopening = std::exchange(reopening_, false);
    }
    if (reopening) attempt(0, [&] { reopen_files(); });  // first: no line logged after reopen() is in the old file
    for (const Item& item : batch) attempt(lines_of(item), [&] { emit(item); });
    batch.clear();
    if (dropped != 0) attempt(dropped, [&] { emit_error(LogLevel::Error, lost_lines(dropped)); });
    if (ending) break;
  }
  if (accesses_ && accesses_->lost != 0) attempt(0, [this] { report_lost(*accesses_); });
}

void Log::emit(const Item& item) {
  if (!item.is_access) return emit_error(item.severity, item.text, item.time);
  Target& target = *accesses_;
  const std::size_t lost = target.file.append(item.text);
  const bool first = lost != 0 && target.lost == 0;
  target.lost += lost;
  lost_.fetch_add(lost, std::memory_order_relaxed);
  if (first) {
    attempt(1, [&] {
      emit_error(LogLevel::Error,
                 "the access log cannot be written: " + std::string(std::strerror(target.file.error())));
    });
  }
  if (lost == 0 && target.lost != 0) attempt(0, [&] { report_lost(target); });
}

void Log::emit_error(LogLevel severity, std::string_view message, LogFormat::Time time) {
  if (!append_error(severity, message, time)) {
    ++errors_.lost;
    lost_.fetch_add(1, std::memory_order_relaxed);
  } else if (errors_.lost != 0) {
    attempt(0, [this] { report_lost(errors_); });
  }
}

bool Log::append_error(LogLevel severity, std::string_view message, LogFormat::Time time) {
  if (!writes(severity)) return true;
  return errors_.file.append(to_journal_ ? LogFormat::journal_line(severity, message)
                                         : format_.line(severity, time, message)) == 0;
}

// Lines can be written again. The number is kept until it is logged.
void Log::report_lost(Target& target) {
  const std::string message = std::to_string(target.lost) + (target.lost == 1 ? " line" : " lines") + " of the " +
                              target.name + (target.lost == 1 ? " was" : " were") +
                              " lost: " + std::strerror(target.file.error());
  if (append_error(LogLevel::Error, message, std::chrono::system_clock::now())) target.lost = 0;
}

void Log::reopen_files() {
  std::string faults = errors_.file.reopen();
  if (accesses_) {
    const std::string fault = accesses_->file.reopen();
    if (!faults.empty() && !fault.empty()) faults += "; ";
    faults += fault;
  }
  if (!faults.empty()) emit_error(LogLevel::Error, faults);
}

}  // namespace tern::logging
