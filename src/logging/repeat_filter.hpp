// Counts lines that are repeated in short succession, instead of writing each.
#pragma once

#include <tern/http/log_options.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tern::logging {

// Remembers the last lines by their hash, in a table of fixed size: a line that another one displaces is written again.
// For one thread at a time.
class RepeatFilter {
public:
  using Time = std::chrono::system_clock::time_point;
  struct Repeated {
    LogLevel level = LogLevel::Info;
    std::string line;
    std::uint64_t count = 0;  // that were not written
  };

  // At most `max` equal lines are admitted within `time`; 0: all.
  RepeatFilter(unsigned max, Milliseconds time) : max_(max), time_(time) {}

  // Whether this line is to be written. If it is the first that is not, `line` is kept for its report.
  bool admit(std::uint64_t hash, LogLevel level, const std::string& line, Time now);
  // Takes the reports of times that are over; all, if `everything`.
  std::vector<Repeated> take_due(Time now, bool everything = false);
  bool has_pending() const noexcept { return pending_ != 0 || !displaced_.empty(); }
  // When the next report is due.
  std::optional<Time> next_due() const noexcept;

private:
  struct Slot {
    std::uint64_t hash = 0;
    Time begin = {};
    unsigned admitted = 0;
    Repeated left_out = {};
  };
  void close(Slot& slot);

  unsigned max_;
  Milliseconds time_;
  std::array<Slot, 64> slots_;
  std::size_t pending_ = 0;          // slots with lines that were left out
  std::vector<Repeated> displaced_;  // due now
};

}  // namespace tern::logging
