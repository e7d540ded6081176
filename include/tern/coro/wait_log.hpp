// What the coroutines of a request wait for, and for how long.
#pragma once

#include <array>
#include <cstdint>

namespace tern::coro {

class Waiter;

// Kept beside the stop state of a request, which leads waits to it. On one loop.
class WaitLog {
public:
  struct Total {
    const char* what = nullptr;  // a literal, such as "pool"; null: unused
    std::uint64_t nanoseconds = 0;
  };

  static std::uint64_t now() noexcept;

  void begin(const char* what) noexcept {
    current_ = what;
    ++waits_;
  }
  void end(const char* what, std::uint64_t began) noexcept;
  void add(const char* what, std::uint64_t nanoseconds) noexcept;
  void reset() noexcept;

  // What the last wait that began is for; null while nothing waits.
  const char* current() const noexcept { return waits_ == 0 ? nullptr : current_; }
  // The wait that began last, of those that have not ended; see Waiter::older().
  const Waiter* newest() const noexcept { return newest_; }
  // Of waits that have ended, which may have overlapped.
  const std::array<Total, 6>& totals() const noexcept { return totals_; }

private:
  friend class Waiter;

  Waiter* newest_ = nullptr;
  const char* current_ = nullptr;
  unsigned waits_ = 0;  // that have not ended
  std::array<Total, 6> totals_ = {};
};

}  // namespace tern::coro
