// The access log and the error log. Loops hand over what they have collected; one thread writes it, through spdlog.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace spdlog {
class logger;
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
  void access(std::string lines);

private:
  struct Item {
    bool is_access;
    Severity severity;
    std::string text;
  };

  void enqueue(Item item);
  void run();
  void emit(const Item& item);

  const Severity level_;
  std::shared_ptr<spdlog::logger> errors_;
  std::shared_ptr<spdlog::logger> accesses_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Item> items_;
  std::size_t waiting_bytes_ = 0;
  std::size_t dropped_ = 0;
  bool ending_ = false;
  std::thread writer_;
};

}  // namespace tern::server
