#include "base/gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace tern::base {
namespace {

TEST(Gate, lets_in_while_it_is_open) {
  Gate gate(false);
  EXPECT_FALSE(Gate::Pass(gate));
  gate.open();
  {
    const Gate::Pass outer(gate);
    EXPECT_TRUE(outer);
    EXPECT_TRUE(Gate::Pass(gate));
  }
  gate.close();
  EXPECT_FALSE(Gate::Pass(gate));
  gate.close();  // again
}

TEST(Gate, is_closed_when_all_have_left) {
  Gate gate;
  std::atomic<bool> inside = false;
  std::atomic<bool> leave = false;
  bool left = false;  // visible after close()
  std::thread thread([&] {
    const Gate::Pass pass(gate);
    inside = true;
    while (!leave) std::this_thread::yield();
    left = true;
  });
  while (!inside) std::this_thread::yield();
  std::thread opener([&] {
    while (Gate::Pass(gate)) std::this_thread::yield();  // until it is being closed
    leave = true;
  });
  gate.close();
  EXPECT_TRUE(left);
  opener.join();
  thread.join();
}

// With ThreadSanitizer: the guarded object comes and goes, and exists while a thread is inside.
TEST(Gate, guards_an_object_that_comes_and_goes) {
  Gate gate(false);
  std::unique_ptr<int> guarded;
  std::atomic<bool> over = false;
  std::atomic<int> seen = 0;
  {
    std::vector<std::jthread> visitors;
    for (int i = 0; i < 3; ++i) {
      visitors.emplace_back([&] {
        while (!over) {
          const Gate::Pass pass(gate);
          if (pass) seen += *guarded;
        }
      });
    }
    for (int round = 0; round < 200 || seen == 0; ++round) {
      guarded = std::make_unique<int>(1);
      gate.open();
      std::this_thread::yield();
      gate.close();
      guarded.reset();
    }
    over = true;
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace tern::base
