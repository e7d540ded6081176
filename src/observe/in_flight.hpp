// The requests in flight, of all loops.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/http/observer.hpp>

#include <cstddef>
#include <vector>

namespace tern::observe {

struct LoopRequests {
  std::size_t loop = 0;
  bool answers = false;  // false: the loop is stalled
  std::vector<http::RequestInFlight> requests = {};
};

// On a loop. One that has not answered after half a second is stalled.
Task<std::vector<LoopRequests>> requests_in_flight(http::ServerView& server);

}  // namespace tern::observe
