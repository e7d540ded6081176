// The levels of the parts of a program.
#pragma once

#include <tern/http/log_options.hpp>

#include <atomic>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace tern::logging {

// All functions may be called from any thread. A part without a level of its own has that of the log. A part may also
// be the place of a single statement, "orders.cpp:42" or with folders; its level is before that of the statement's
// part.
class PartLevels {
public:
  PartLevels(LogLevel level, std::vector<PartLevel> parts);

  // The lowest of all: less is written by no part.
  LogLevel lowest() const noexcept { return lowest_.load(std::memory_order_relaxed); }
  LogLevel level() const noexcept { return level_.load(std::memory_order_relaxed); }
  LogLevel of(std::string_view part, const std::source_location& place = {}) const noexcept {
    return has_parts_.load(std::memory_order_relaxed) ? find(part, place) : level();
  }
  std::vector<PartLevel> parts() const;

  void set(LogLevel level) noexcept;
  // At most `max_parts` have levels of their own; false beyond.
  bool set(std::string_view part, LogLevel level);
  // It has the level of the log again.
  void unset(std::string_view part) noexcept;

  static constexpr std::size_t max_parts = 100;

private:
  LogLevel find(std::string_view part, const std::source_location& place) const noexcept;
  void update() noexcept;  // with the mutex

  std::atomic<LogLevel> level_;
  std::atomic<LogLevel> lowest_;
  std::atomic<bool> has_parts_ = false;
  mutable std::mutex mutex_;  // for what follows, and changes of what precedes
  std::vector<PartLevel> parts_;
};

}  // namespace tern::logging
