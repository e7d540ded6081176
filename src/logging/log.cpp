#include "logging/log.hpp"

#include "logging/printable.hpp"

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

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_printable(out, text);
  return out;
}

// A rendered line where the log adds no time and level.
std::string enclosed(LogFormat format, std::string rendered) {
  return format == LogFormat::Json ? "{" + rendered + "}" : rendered;
}

std::string lost_lines(std::size_t count) {
  return std::to_string(count) + " log lines were lost: they came faster than they are written, or memory was short";
}

// FNV-1a.
std::uint64_t hash_of(LogLevel level, std::string_view text) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U + static_cast<std::uint64_t>(level);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

// `line`, rendered, with the number of its repetitions.
std::string repeated(std::string line, std::uint64_t count, LogFormat format) {
  const std::string number = std::to_string(count);
  switch (format) {
    case LogFormat::Text: return line.append(" (repeated ").append(number).append(count == 1 ? " time)" : " times)");
    case LogFormat::Json: return line.append(",\"repeated\":").append(number);
    case LogFormat::Logfmt: return line.append(" repeated=").append(number);
  }
  return line;
}

// By memchr(), which looks at many bytes at once: lines are long.
std::size_t line_feeds(std::string_view text) noexcept {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; ++at) ++count;
  return count;
}

std::string_view name_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warning";
    case LogLevel::Error: return "error";
    case LogLevel::Off: break;
  }
  return "off";
}

// The escape sequence of a level on a terminal.
std::string_view colour_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::Debug: return "\x1b[2m";
    case LogLevel::Info: return "\x1b[32m";
    case LogLevel::Warning: return "\x1b[33m";
    case LogLevel::Error:
    case LogLevel::Off: break;
  }
  return "\x1b[1;31m";
}

LogFile file_of(const std::string& path, int otherwise) {
  return path.empty() ? LogFile(otherwise) : LogFile(path);
}

}  // namespace

LineFormat::LineFormat(LogFormat format, bool colours)
    : format_(format),
      colours_(colours && format == LogFormat::Text),
      time_(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%e%z", spdlog::pattern_time_type::local,
                                                        "")) {}
LineFormat::~LineFormat() = default;

std::string LineFormat::line(LogLevel level, Time time, std::string_view rendered) {
  const spdlog::details::log_msg entry(time, {}, "tern", spdlog::level::info, {});
  spdlog::memory_buf_t formatted;
  time_->format(entry, formatted);
  const std::string_view stamp(formatted.data(), formatted.size());
  std::string line;
  line.reserve(stamp.size() + rendered.size() + 40);
  switch (format_) {
    case LogFormat::Text:
      if (colours_) line.append("\x1b[2m").append(stamp).append("\x1b[0m ").append(colour_of(level));
      if (!colours_) line.append(stamp).append(" ");
      line.append(name_of(level)).append(colours_ ? "\x1b[0m " : " ").append(escaped(rendered));
      break;
    case LogFormat::Json:
      line.append("{\"time\":\"").append(stamp).append("\",\"level\":\"").append(name_of(level));
      line.append("\",").append(rendered).append("}");
      break;
    case LogFormat::Logfmt:
      line.append("time=").append(stamp).append(" level=").append(name_of(level));
      line.append(" ").append(escaped(rendered));
      break;
  }
  return line += '\n';
}

bool has_colours(int descriptor) noexcept {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (refused == nullptr || *refused == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string LineFormat::journal_line(LogLevel level, std::string_view rendered) const {
  const char* prefix = "<6>";
  if (level == LogLevel::Debug) prefix = "<7>";
  if (level == LogLevel::Warning) prefix = "<4>";
  if (level == LogLevel::Error) prefix = "<3>";
  return prefix + enclosed(format_, escaped(rendered)) + "\n";
}

bool is_journal(int descriptor) {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  struct stat status{};
  if (stream == nullptr || ::fstat(descriptor, &status) != 0) return false;
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) == stream;
}

Log::Log(const LogOptions& options)
    : levels_(options.level, options.levels),
      secrets_(options.secrets),
      style_{options.format, secrets_},
      to_journal_(options.target == LogTarget::File && options.error_file.empty() && is_journal(STDERR_FILENO)),
      format_(options.format,
              options.target == LogTarget::File && options.error_file.empty() && has_colours(STDERR_FILENO)),
      errors_{file_of(options.target == LogTarget::File ? options.error_file : std::string(), STDERR_FILENO),
              "error log"},
      repeats_(options.max_repeats, options.repeat_time),
      writer_() {
  if (options.target != LogTarget::File) socket_.emplace(options.target, options.error_file);
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

void Log::write(const http::LogLine& line) noexcept {
  if (!writes(line.level, line.part, line.place)) return;
  attempt(1, [&] {
    http::RenderedLine rendered = http::render(line, style_);
    const std::uint64_t hash = hash_of(line.level, std::string_view(rendered.text).substr(0, rendered.ids));
    enqueue({false, line.level, std::move(rendered.text), std::chrono::system_clock::now()}, hash);
  });
}

void Log::failure(std::string_view what, const std::exception_ptr& thrown, std::string_view part) noexcept {
  attempt(1, [&] {
    std::string message(what);
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      message.append(": ").append(exception.what());
    } catch (...) {
      message.append(": an exception that is no std::exception");
    }
    error(message, part);
  });
}

void Log::access(std::string lines) noexcept {
  if (lines.empty()) return;
  const std::size_t count = line_feeds(lines);
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
  return item.is_access ? line_feeds(item.text) : 1;
}

// The writer is woken by the first of a batch only: it takes all that have come until it looks again.
void Log::enqueue(Item item, std::uint64_t hash) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    const bool had_repeats = repeats_.has_pending();
    if (!item.is_access && !repeats_.admit(hash, item.severity, item.text, item.time)) {
      if (!had_repeats) ready_.notify_one();  // the writer waits for the end of their time
      return;
    }
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
      const auto has_work = [this] { return ending_ || reopening_ || !items_.empty(); };
      while (!has_work()) {
        const auto due = repeats_.next_due();
        if (!due) {
          ready_.wait(lock);
        } else if (ready_.wait_until(lock, *due) == std::cv_status::timeout) {
          break;
        }
      }
      keep_due_repeats();
      batch.swap(items_);
      waiting_bytes_ = 0;
      dropped = std::exchange(dropped_, 0);
      ending = ending_;
      reopening = std::exchange(reopening_, false);
    }
    if (reopening) attempt(0, [&] { reopen_files(); });  // first: no line logged after reopen() is in the old file
    for (const Item& item : batch) attempt(lines_of(item), [&] { emit(item); });
    batch.clear();
    if (dropped != 0) attempt(dropped, [&] { emit_own(lost_lines(dropped)); });
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
    attempt(1,
            [&] { emit_own("the access log cannot be written: " + std::string(std::strerror(target.file.error()))); });
  }
  if (lost == 0 && target.lost != 0) attempt(0, [&] { report_lost(target); });
}

void Log::emit_error(LogLevel severity, std::string_view rendered, Time time) {
  if (!append_error(severity, rendered, time)) {
    ++errors_.lost;
    lost_.fetch_add(1, std::memory_order_relaxed);
  } else if (errors_.lost != 0) {
    attempt(0, [this] { report_lost(errors_); });
  }
}

bool Log::append_error(LogLevel severity, std::string_view rendered, Time time) {
  if (to_journal_) return errors_.file.append(format_.journal_line(severity, rendered)) == 0;
  if (!socket_) return errors_.file.append(format_.line(severity, time, rendered)) == 0;
  const bool sent = socket_->send(severity, enclosed(style_.format, escaped(rendered)));
  if (!sent) errors_.file.set_error(socket_->error());
  return sent;
}

void Log::emit_own(std::string_view text) {
  if (writes(LogLevel::Error)) emit_error(LogLevel::Error, own_line(text));
}

std::string Log::own_line(std::string_view text) const {
  return http::render({LogLevel::Error, server_part, text}, style_).text;
}

// With the mutex: lines about what was left out are written with the others.
void Log::keep_due_repeats() noexcept {
  try {
    const Time now = std::chrono::system_clock::now();
    for (RepeatFilter::Repeated& one : repeats_.take_due(now, ending_)) {
      items_.push_back({false, one.level, repeated(std::move(one.line), one.count, style_.format), now});
    }
  } catch (const std::bad_alloc&) {
    ++dropped_;
  }
}

// Lines can be written again. The number is kept until it is logged.
void Log::report_lost(Target& target) {
  const std::string message = std::to_string(target.lost) + (target.lost == 1 ? " line" : " lines") + " of the " +
                              target.name + (target.lost == 1 ? " was" : " were") +
                              " lost: " + std::strerror(target.file.error());
  const auto now = std::chrono::system_clock::now();
  if (!writes(LogLevel::Error) || append_error(LogLevel::Error, own_line(message), now)) target.lost = 0;
}

void Log::reopen_files() {
  std::string faults = errors_.file.reopen();
  if (accesses_) {
    const std::string fault = accesses_->file.reopen();
    if (!faults.empty() && !fault.empty()) faults += "; ";
    faults += fault;
  }
  if (!faults.empty()) emit_own(faults);
}

}  // namespace tern::logging
