// Runs a conversation with a server once for each allocation that its loop makes, which fails. What asked for the
// memory may end; the server goes on, and ends in order.
#pragma once

#include "server/app_test.hpp"
#include "server/failing_allocator.hpp"

#include <cstdint>
#include <stdexcept>

namespace tern::testing {

// `set_up(app, settings)`, then `talk(port)`, whose outcome does not matter.
template <class SetUp, class Talk>
void sweep_allocations(SetUp set_up, Talk talk) {
  constexpr std::int64_t bound = 5000;
  for (std::int64_t n = 1;; ++n) {
    ASSERT_LT(n, bound) << "the conversation does not come to its end";
    SCOPED_TRACE(n);
    App app;
    exchange::Settings settings;
    app.get("/healthy", [] { return "yes"; });
    set_up(app, settings);
    RunningServer running(app.service(), settings);
    running.on_loop([] { allocations_of_this_thread_may_fail(); });
    fail_allocation(n);
    try {
      talk(running.port());
    } catch (const std::runtime_error&) {  // the test's client, after the server has closed within the handshake
    }
    const bool failed = stop_failing();
    ASSERT_EQ(running.client().ask("/healthy").body, "yes");
    ASSERT_TRUE(running.eventually([&] { return running.worker().context().exchanges_in_use() == 0; }))
        << "a request leaks";
    running.drain(Seconds(20));
    running.wait();
    if (!failed) break;
  }
}

}  // namespace tern::testing
