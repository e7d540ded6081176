// The access log and the error log. Loops hand over what they have collected; one thread writes it.
#pragma once

#include "server/log_file.hpp"

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

namespace tern::server {

enum class Severity : std::uint8_t { Debug, Info, Warning, Error, Off };

class Log {
public:
  struct Options {
    bool access = false;
    std::string access_file = {};  // empty: standard output
    std::string error_file = {};   // empty: standard error
    Severity level = Severity::Info;
  };

  // Throws std::runtime_error, naming the file, when one cannot be opened.
  explicit Log(const Options& options);
  // Writes what is still waiting.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // One line of the error log. From any thread; control characters in it are escaped.
  void write(Severity severity, std::string_view message);
  void error(std::string_view message) { write(Severity::Error, message); }
  // "what: the message of the exception".
  void failure(std::string_view what, const std::exception_ptr& error) noexcept;
  bool writes(Severity severity) const noexcept { return severity >= level_; }

  // Whole lines of the access log, each with its line feed. From any thread.
  void access(std::string lines) noexcept;

  // Opens the files by their names again, once what is waiting is written: they may have been renamed. From any thread;
  // nobody is waited for. Where one cannot be opened, its log goes on with the old one, and the error log says so.
  void reopen();

private:
  struct Item {
    bool is_access;
    Severity severity;
    std::string text;
  };

  struct Target {
    LogFile file;
    const char* name;
    std::size_t lost = 0;  // lines, that were not reported yet
  };

  void enqueue(Item item);
  void run();
  void emit(const Item& item);
  void emit_error(Severity severity, std::string_view message);
  bool append_error(Severity severity, std::string_view message);
  void report_lost(Target& target);
  void reopen_files();

  const Severity level_;
  std::unique_ptr<spdlog::formatter> formatter_;
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

}  // namespace tern::server
