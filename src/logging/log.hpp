// The access log and the error log. Loops pass collected lines; one thread writes them.
#pragma once

#include "http/log_line.hpp"
#include "logging/log_file.hpp"
#include "logging/log_socket.hpp"
#include "logging/part_levels.hpp"
#include "logging/repeat_filter.hpp"

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

// The beginning of each line of the error log, and its end. For one thread.
class LineFormat {
public:
  using Time = std::chrono::system_clock::time_point;
  explicit LineFormat(LogFormat format, bool colours = false);
  ~LineFormat();
  // `rendered` by http::render() of the same format. With its line feed; control characters are escaped.
  std::string line(LogLevel level, Time time, std::string_view rendered);
  // For systemd's journal, which has times and priorities of its own: "<3>message" (sd-daemon(3)).
  std::string journal_line(LogLevel level, std::string_view rendered) const;

private:
  LogFormat format_;
  bool colours_;
  std::unique_ptr<spdlog::formatter> time_;
};

// Whether a descriptor leads to systemd's journal (JOURNAL_STREAM, systemd.exec(5)).
bool is_journal(int descriptor);
// Whether text on this descriptor may have colours: a terminal, unless NO_COLOR is set (https://no-color.org).
bool has_colours(int descriptor) noexcept;

class Log {
public:
  // Throws std::runtime_error, naming the file, if one cannot be opened.
  explicit Log(const LogOptions& options);
  // Writes the pending lines.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // One line of the error log. From any thread. If an allocation fails, the line is lost, and counted.
  void write(const http::LogLine& line) noexcept;
  // The same of a part of the library.
  void write(LogLevel level, std::string_view text, std::string_view part = server_part) noexcept {
    write(http::LogLine{level, part, text});
  }
  void error(std::string_view text, std::string_view part = server_part) noexcept {
    write(LogLevel::Error, text, part);
  }
  // "what: the message of the exception".
  void failure(std::string_view what, const std::exception_ptr& error, std::string_view part = server_part) noexcept;
  bool writes(LogLevel severity, std::string_view part = server_part,
              const std::source_location& place = {}) const noexcept {
    return severity >= levels_.lowest() && severity >= levels_.of(part, place);
  }
  // May be read and changed at any time, from any thread.
  PartLevels& levels() noexcept { return levels_; }
  const PartLevels& levels() const noexcept { return levels_; }
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

  static constexpr std::string_view server_part = "server";

private:
  using Time = LineFormat::Time;
  struct Item {
    bool is_access;
    LogLevel severity;
    std::string text;
    Time time = {};  // of a line of the error log
  };

  struct Target {
    LogFile file;
    const char* name;
    std::size_t lost = 0;  // lines, not reported yet
  };

  static std::size_t lines_of(const Item& item) noexcept;
  void enqueue(Item item, std::uint64_t hash = 0);
  // Calls `f`; if an allocation fails, counts `lines` as lost.
  template <class F>
  void attempt(std::size_t lines, F&& f) noexcept;
  void run() noexcept;
  void emit(const Item& item);
  void emit_error(LogLevel severity, std::string_view rendered, Time time = std::chrono::system_clock::now());
  bool append_error(LogLevel severity, std::string_view rendered, Time time);
  // Lines of the log about itself.
  void emit_own(std::string_view text);
  std::string own_line(std::string_view text) const;
  void keep_due_repeats() noexcept;
  void report_lost(Target& target);
  void reopen_files();

  PartLevels levels_;
  std::vector<std::string> secrets_;
  http::LogStyle style_;
  std::atomic<std::uint64_t> lost_ = 0;
  const bool to_journal_;
  LineFormat format_;  // of the writer
  std::optional<LogSocket> socket_;
  Target errors_;
  std::optional<Target> accesses_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Item> items_;
  RepeatFilter repeats_;
  std::size_t waiting_bytes_ = 0;
  std::size_t dropped_ = 0;
  bool reopening_ = false;
  bool ending_ = false;
  std::thread writer_;
};

}  // namespace tern::logging
