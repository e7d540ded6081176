#include "web/clock.hpp"

#include <tern/coro/executor.hpp>

#include <ctime>

namespace tern::web {

std::uint64_t now_in_milliseconds() noexcept {
  if (Executor* executor = Executor::current()) return executor->timers().now();
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000 + static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
}

std::int64_t unix_time() noexcept {
  Executor* const executor = Executor::current();
  return executor != nullptr ? executor->timers().unix_time() : std::time(nullptr);
}

}  // namespace tern::web
