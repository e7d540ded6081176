#include <tern/coro/wait_log.hpp>

#include <chrono>
#include <cstring>

namespace tern::coro {

std::uint64_t WaitLog::now() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void WaitLog::end(const char* what, std::uint64_t began) noexcept {
  if (waits_ != 0) --waits_;
  add(what, now() - began);
}

void WaitLog::add(const char* what, std::uint64_t nanoseconds) noexcept {
  for (Total& total : totals_) {
    if (total.what == nullptr) total.what = what;
    if (std::strcmp(total.what, what) != 0) continue;
    total.nanoseconds += nanoseconds;
    return;
  }
}

}  // namespace tern::coro
