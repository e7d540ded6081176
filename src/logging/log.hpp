// The access log and the error log. Loops pass collected lines; one thread writes them.
#pragma once

#include "logging/log_file.hpp"

#include <tern/http/log_options.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace spdlog {
class formatter;
}

namespace tern::logging {

// How a line of the error log looks. For one thread.
class LogFormat {
public:
  using Time = std::chrono::system_clock::time_point;
  LogFormat();
  ~LogFormat();
  // With its line feed. Control characters in `message` are escaped.
  std::string line(LogLevel level, Time time, std::string_view message);
  // For systemd's journal, which has times and priorities of its own: "<3>message" (sd-daemon(3)).
  static std::string journal_line(LogLevel level, std::string_view message);

private:
  std::unique_ptr<spdlog::formatter> formatter_;
};

// Whether a descriptor leads to systemd's journal (JOURNAL_STREAM, systemd.exec(5)).
bool is_journal(int descriptor);

class Log {
public:
  // Throws std::runtime_error, naming the file, if one cannot be opened.
  explicit Log(const LogOptions& options);
  // Writes the pending lines.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // One line of the error log. From any thread; control characters in it are escaped. If an allocation fails, the line
  // is lost, and counted.
  void write(LogLevel severity, std::string_view message) noexcept;
  void error(std::string_view message) noexcept { write(LogLevel::Error, message); }
  // "what: the message of the exception".
  void failure(std::string_view what, const std::exception_ptr& error) noexcept;
  bool writes(LogLevel severity) const noexcept { return severity >= level(); }
  // May be changed at any time, from any thread.
  LogLevel level() const noexcept { return level_.load(std::memory_order_relaxed); }
  void set_level(LogLevel level) noexcept { level_.store(level, std::memory_order_relaxed); }
  // Lines that were not written so far, of both logs. From any thread.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  // Whole lines of the access log, each with its line feed. From any thread.
  void access(std::string lines) noexcept;

  // Counts lines lost to failed allocations. From any thread.
  void lose(std::size_t lines) noexcept;

  // Opens the files by their names again: they may have been renamed. What is logged afterwards is not in the old
  // files. From any thread; does not wait. If one cannot be opened, its log continues in the old file, and the error
  // log says so.
  void reopen() noexcept;

private:
  struct Item {
    bool is_access;
    LogLevel severity;
    std::string text;
    LogFormat::Time time = {};  // of a line of the error log
  };

  struct Target {
    LogFile file;
    const char* name;
    std::size_t lost = 0;  // lines, not reported yet
  };

  static std::size_t lines_of(const Item& item) noexcept;
  void enqueue(Item item);
  // Calls `f`; if an allocation fails, counts `lines` as lost.
  template <class F>
  void attempt(std::size_t lines, F&& f) noexcept;
  void run() noexcept;
  void emit(const Item& item);
  void emit_error(LogLevel severity, std::string_view message, LogFormat::Time time = std::chrono::system_clock::now());
  bool append_error(LogLevel severity, std::string_view message, LogFormat::Time time);
  void report_lost(Target& target);
  void reopen_files();

  std::atomic<LogLevel> level_;
  std::atomic<std::uint64_t> lost_ = 0;
  LogFormat format_;  // of the writer
  const bool to_journal_;
  Target errors_;
  std::optional<Target> accesses_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Item> items_;
  std::size_t waiting_bytes_ = 0;
  std::size_t dropped_ = 0;
  bool reopening_ = false;
  bool ending_ = false;
  std::thread writer_;
};

}  // namespace tern::logging
