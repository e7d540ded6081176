#include "tern/life.hpp"

#include <tern/coro/awaitable.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/sleep.hpp>

#include <exception>
#include <ranges>
#include <utility>

namespace tern {
namespace {

Task<> on_start(const app::Core& core, server::Server& server) {
  const app::Hooks& hooks = core.hooks();
  if (Bus* bus = core.bus()) co_await bus->start(server.bus_host());
  for (const auto& hook : hooks.start) co_await hook->run();
  const StopToken stop = co_await current_stop();
  for (const auto& repeated : hooks.every) {
    Task<> task = repeat(repeated, server.log());
    task.set_stop(stop.state());
    spawn(std::move(task));
  }
}

// The bus goes last: hooks may publish.
Task<> on_stop(const app::Core& core, logging::Log& log) {
  for (const auto& hook : std::views::reverse(core.hooks().stop)) {
    try {
      co_await hook->run();
    } catch (...) {
      log.failure("an on_stop hook failed", std::current_exception());
    }
  }
  Bus* bus = core.bus();
  if (bus == nullptr) co_return;
  try {
    co_await bus->stop();
  } catch (const Cancelled&) {  // the time is over
  } catch (...) {
    log.failure("the bus did not stop well", std::current_exception(), "bus");
  }
}

// The wait between two runs of every().
class Pause final : public coro::SleepWait {
public:
  Pause(Milliseconds delay, const std::source_location& place) noexcept : SleepWait(delay), place_(place) {}

private:
  TimerPurpose purpose() const noexcept override {
    return {.what = "every", .file = place_.file_name(), .line = place_.line()};
  }
  const std::source_location& place_;
};

}  // namespace

Task<> repeat(const app::Hooks::Repeated& repeated, logging::Log& log) {
  const Timers& clock = Executor::current()->timers();
  const auto interval = static_cast<std::uint64_t>(repeated.interval.count());
  std::uint64_t due = clock.now();
  while (true) {
    due += ((clock.now() - due) / interval + 1) * interval;  // the next multiple that is not over
    Pause pause(Milliseconds(static_cast<std::int64_t>(due - clock.now())), repeated.place);
    co_await pause;  // also ends the loop
    try {
      co_await repeated.work->run();
    } catch (const Cancelled&) {  // of this run
    } catch (...) {
      log.failure("a run of every() failed", std::current_exception());
    }
  }
}

server::Hooks hooks_of(const app::Core& core, server::Server& server) {
  server::Hooks result;
  const app::Hooks& hooks = core.hooks();
  Bus* bus = core.bus();
  if (!hooks.start.empty() || !hooks.every.empty() || bus != nullptr) {
    result.on_start = [&core, &server] { return on_start(core, server); };
  }
  if (!hooks.stop.empty() || bus != nullptr) {
    result.on_stop = [&core, &log = server.log()] { return on_stop(core, log); };
  }
  http::Observer* observer = core.observer();
  if (bus != nullptr || observer != nullptr) {
    result.on_cleared = [bus, observer] {
      if (bus != nullptr) bus->end();
      if (observer != nullptr) observer->on_stop();
    };
  }
  return result;
}

}  // namespace tern
