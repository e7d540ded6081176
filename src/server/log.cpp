#include "server/log.hpp"

#include <tern/base/number.hpp>

#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <utility>

namespace tern::server {
namespace {

// Past it, lines are dropped and counted: a disk that hangs must not fill the memory.
constexpr std::size_t max_waiting_bytes = 16 * 1024 * 1024;

spdlog::level::level_enum to_spdlog(Severity severity) {
  switch (severity) {
    case Severity::Debug: return spdlog::level::debug;
    case Severity::Info: return spdlog::level::info;
    case Severity::Warning: return spdlog::level::warn;
    case Severity::Error: return spdlog::level::err;
    case Severity::Off: break;
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

LogFile file_of(const std::string& path, int otherwise) {
  return path.empty() ? LogFile(otherwise) : LogFile(path);
}

}  // namespace

Log::Log(const Options& options)
    : level_(options.level),
      formatter_(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%e%z %l %v")),
      errors_{file_of(options.error_file, STDERR_FILENO), "error log"},
      writer_() {
  if (options.access) accesses_.emplace(file_of(options.access_file, STDOUT_FILENO), "access log");
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

void Log::write(Severity severity, std::string_view message) {
  if (writes(severity)) enqueue({false, severity, escaped(message)});
}

void Log::failure(std::string_view what, const std::exception_ptr& thrown) noexcept {
  try {
    std::string message(what);
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      message.append(": ").append(exception.what());
    } catch (...) {
      message.append(": an exception that is no std::exception");
    }
    error(message);
  } catch (...) {  // without memory there is no report either
  }
}

void Log::access(std::string lines) noexcept {
  if (lines.empty()) return;
  const auto count = static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  try {
    enqueue({true, Severity::Info, std::move(lines)});
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    dropped_ += count;
  }
}

void Log::reopen() {
  {
    const std::lock_guard lock(mutex_);
    reopening_ = true;
  }
  ready_.notify_one();
}

void Log::enqueue(Item item) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_bytes_ + item.text.size() > max_waiting_bytes) {
      dropped_ += item.is_access ? static_cast<std::size_t>(std::ranges::count(item.text, '\n')) : 1;
      return;
    }
    waiting_bytes_ += item.text.size();
    items_.push_back(std::move(item));
  }
  ready_.notify_one();
}

void Log::run() {
  // A file that has reached the limit of its size, or a pipe without a reader, costs lines, and not the process.
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
    for (const Item& item : batch) emit(item);
    batch.clear();
    if (dropped != 0) {
      emit_error(Severity::Error,
                 std::to_string(dropped) + " log lines were lost: they came faster than they are written");
    }
    if (reopening) reopen_files();
    if (ending) break;
  }
  if (accesses_ && accesses_->lost != 0) report_lost(*accesses_);
}

void Log::emit(const Item& item) {
  if (!item.is_access) return emit_error(item.severity, item.text);
  Target& target = *accesses_;
  const std::size_t lost = target.file.append(item.text);
  if (lost != 0 && target.lost == 0) {
    emit_error(Severity::Error, "the access log cannot be written: " + std::string(std::strerror(target.file.error())));
  }
  target.lost += lost;
  if (lost == 0 && target.lost != 0) report_lost(target);
}

void Log::emit_error(Severity severity, std::string_view message) {
  if (!append_error(severity, message)) {
    ++errors_.lost;
  } else if (errors_.lost != 0) {
    report_lost(errors_);
  }
}

bool Log::append_error(Severity severity, std::string_view message) {
  if (!writes(severity)) return true;
  const spdlog::details::log_msg entry("tern", to_spdlog(severity),
                                       spdlog::string_view_t(message.data(), message.size()));
  spdlog::memory_buf_t line;
  formatter_->format(entry, line);
  return errors_.file.append({line.data(), line.size()}) == 0;
}

// Lines can be written again. The number is kept until it is told.
void Log::report_lost(Target& target) {
  const std::string message = std::to_string(target.lost) + (target.lost == 1 ? " line" : " lines") + " of the " +
                              target.name + (target.lost == 1 ? " was" : " were") +
                              " lost: " + std::strerror(target.file.error());
  if (append_error(Severity::Error, message)) target.lost = 0;
}

void Log::reopen_files() {
  std::string faults = errors_.file.reopen();
  if (accesses_) {
    const std::string fault = accesses_->file.reopen();
    if (!faults.empty() && !fault.empty()) faults += "; ";
    faults += fault;
  }
  if (!faults.empty()) emit_error(Severity::Error, faults);
}

}  // namespace tern::server
