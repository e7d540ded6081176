#include "observe/in_flight.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/timeout.hpp>

#include <memory>
#include <mutex>
#include <utility>

namespace tern::observe {
namespace {

constexpr std::size_t max_requests = 1000;  // of each loop
constexpr Milliseconds patience{500};

// Owned by the asking coroutine and by the loops that have not answered yet.
struct Gathering {
  explicit Gathering(std::size_t count) : loops(count), left(count) {
    for (std::size_t i = 0; i < count; ++i) loops[i].loop = i;
  }
  std::mutex mutex;  // for the next two
  std::vector<LoopDocument> loops;
  std::size_t left;
  Event complete;  // of the asking loop
};

}  // namespace

Task<std::vector<LoopDocument>> look_at_loops(http::ServerView& server) {
  const auto gathering = std::make_shared<Gathering>(server.loops());
  Executor& home = *Executor::current();
  for (std::size_t i = 0; i < server.loops(); ++i) {
    server.look_at(i, max_requests, [gathering, i, &home](http::LoopState state) {
      {
        const std::lock_guard lock(gathering->mutex);
        if (gathering->loops.empty()) return;  // too late
        gathering->loops[i] = {i,
                               true,
                               state.sockets,
                               state.offloaded,
                               state.timers,
                               state.posted,
                               std::move(state.timer_kinds),
                               std::move(state.next_timers),
                               std::move(state.requests)};
        if (--gathering->left != 0) return;
      }
      home.post([gathering] { gathering->complete.set(); });
    });
  }
  try {
    co_await with_timeout(patience, gathering->complete.wait());
  } catch (const TimedOut&) {
  }
  const std::lock_guard lock(gathering->mutex);
  co_return std::exchange(gathering->loops, {});
}

}  // namespace tern::observe
