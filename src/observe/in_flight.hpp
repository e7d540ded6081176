// What all loops do.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/http/observer.hpp>

#include <cstddef>
#include <vector>

namespace tern::observe {

// As a document of /requests.
struct LoopDocument {
  std::size_t loop = 0;
  bool answers = false;  // false: the loop is stalled, and the rest unknown
  std::size_t sockets = 0;
  std::size_t offloaded = 0;
  std::size_t timers = 0;
  std::size_t posted = 0;
  std::vector<http::TimerKind> timer_kinds = {};
  std::vector<http::NextTimer> next_timers = {};
  std::vector<http::RequestInFlight> requests = {};
};

// On a loop. One that has not answered after half a second is stalled.
Task<std::vector<LoopDocument>> look_at_loops(http::ServerView& server);

}  // namespace tern::observe
