// The armed timers of a loop, for those who look at it.
#pragma once

#include "net/loop.hpp"

#include <tern/http/observer.hpp>

#include <cstddef>
#include <vector>

namespace tern::server {

inline constexpr std::size_t max_timers = 20;  // that are shown, of each loop

struct ArmedTimers {
  std::size_t count = 0;
  std::vector<http::TimerKind> kinds;  // the most frequent first
  std::vector<http::NextTimer> next;   // the soonest first
};

// With at most `max` in `next`. Walks all timers. On the loop's thread, not within a coroutine.
ArmedTimers armed_timers(const net::Loop& loop, std::size_t max);

}  // namespace tern::server
