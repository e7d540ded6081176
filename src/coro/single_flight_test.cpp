#include <tern/coro/single_flight.hpp>

#include "coro/manual_executor.hpp"

#include <tern/async.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tern::coro {
namespace {

// Records who leads and who goes on; a leader waits for `done`.
struct Flights {
  SingleFlight flights;
  Event done;
  std::vector<std::string> events;

  Task<> run(std::string name, std::string key, bool finishes = true) {
    Flight flight = co_await flights.enter(key);
    events.push_back(name + (flight.leads() ? " leads" : " goes on"));
    if (!flight.leads()) co_return;
    co_await done.wait();
    if (!finishes) throw std::runtime_error("it fails");
    flight.finish();
  }
};

using Events = std::vector<std::string>;

class SingleFlightTest : public ::testing::Test {
protected:
  ManualExecutor executor;
  Flights of;
};

TEST_F(SingleFlightTest, one_leads_and_the_others_wait) {
  StartedTask a(of.run("a", "k"));
  StartedTask b(of.run("b", "k"));
  StartedTask c(of.run("c", "k"));
  StartedTask other(of.run("d", "another"));
  executor.run();
  EXPECT_EQ(of.events, (Events{"a leads", "d leads"}));
  of.done.set();
  executor.run();
  EXPECT_EQ(of.events, (Events{"a leads", "d leads", "b goes on", "c goes on"}));
  EXPECT_TRUE(a.ended() && b.ended() && c.ended() && other.ended());
  EXPECT_EQ(of.flights.size(), 0U);
}

TEST_F(SingleFlightTest, of_a_failed_leader_passes_to_the_first_that_waits) {
  StartedTask a(of.run("a", "k", false));
  StartedTask b(of.run("b", "k", false));
  StartedTask c(of.run("c", "k"));
  StartedTask d(of.run("d", "k"));
  of.done.set();
  executor.run();
  EXPECT_EQ(of.events, (Events{"a leads", "b leads", "c leads", "d goes on"}));
  EXPECT_EQ(a.error(), "it fails");
  EXPECT_EQ(of.flights.size(), 0U);
}

TEST_F(SingleFlightTest, of_a_destroyed_leader_passes_on) {
  StartedTask a(of.run("a", "k"));
  StartedTask b(of.run("b", "k"));
  a.destroy();
  executor.run();
  EXPECT_EQ(of.events, (Events{"a leads", "b leads"}));
  b.destroy();
  EXPECT_EQ(of.flights.size(), 0U);
}

TEST_F(SingleFlightTest, one_that_is_destroyed_before_its_turn_passes_on) {
  StartedTask a(of.run("a", "k"));
  StartedTask b(of.run("b", "k"));
  StartedTask c(of.run("c", "k"));
  a.destroy();  // b leads, and is scheduled
  b.destroy();
  executor.run();
  EXPECT_EQ(of.events, (Events{"a leads", "c leads"}));
  c.destroy();
  EXPECT_EQ(of.flights.size(), 0U);
}

TEST_F(SingleFlightTest, one_that_is_stopped_leaves_the_others_alone) {
  StopState stop;
  StartedTask a(of.run("a", "k"));
  StartedTask b(of.run("b", "k"), &stop);
  StartedTask c(of.run("c", "k"));
  stop.stop();
  executor.run();
  EXPECT_EQ(b.error(), "cancelled");
  of.done.set();
  executor.run();
  EXPECT_EQ(of.events, (Events{"a leads", "c goes on"}));
}

TEST_F(SingleFlightTest, one_that_was_stopped_before_never_leads) {
  StopState stop;
  stop.stop();
  StartedTask a(of.run("a", "k"), &stop);
  EXPECT_EQ(a.error(), "cancelled");
  EXPECT_EQ(of.flights.size(), 0U);
}

TEST_F(SingleFlightTest, a_stop_after_the_flight_was_passed_on_does_not_lose_it) {
  StopState stop;
  StartedTask a(of.run("a", "k"));
  StartedTask b(of.run("b", "k"), &stop);
  StartedTask c(of.run("c", "k"));
  a.destroy();
  stop.stop();  // b has been scheduled as the leader: its next await throws
  executor.run();
  EXPECT_EQ(of.events, (Events{"a leads", "b leads", "c leads"}));
  EXPECT_EQ(b.error(), "cancelled");
}

TEST_F(SingleFlightTest, a_wait_can_have_a_timeout) {
  StartedTask a(of.run("a", "k"));
  const auto wait = [this]() -> Task<> {
    const Flight flight = co_await with_timeout(Milliseconds(10), of.flights.enter("k"));
    EXPECT_FALSE(flight.leads());
  };
  StartedTask b(wait());
  executor.advance(50);
  EXPECT_EQ(b.error(), "timed out");
  of.done.set();
  executor.run();
  EXPECT_TRUE(a.ended());
}

TEST_F(SingleFlightTest, try_enter_does_not_wait) {
  Flight first = of.flights.try_enter("k");
  EXPECT_TRUE(first.leads());
  EXPECT_FALSE(of.flights.try_enter("k").leads());
  Flight moved = std::move(first);
  moved.finish();
  moved.finish();
  EXPECT_FALSE(moved.leads());
  EXPECT_TRUE(of.flights.try_enter("k").leads());
}

// Each thread has an executor of its own and several coroutines; all use the same few keys.
TEST(SingleFlights, of_several_threads_have_one_leader_at_a_time) {
  constexpr int threads = 4;
  constexpr int tasks = 8;
  constexpr int turns = 200;
  SingleFlight flights;
  std::array<std::atomic<int>, 3> leading = {};
  std::atomic<int> led = 0;
  std::atomic<int> ended = 0;
  const auto work = [&](unsigned seed) -> Task<> {
    for (unsigned turn = 0; turn < turns; ++turn) {
      const unsigned key = (seed + turn) % leading.size();
      const std::string name = std::to_string(key);
      Flight flight = co_await flights.enter(name);
      if (!flight.leads()) continue;
      EXPECT_EQ(leading[key].fetch_add(1), 0);
      ++led;
      co_await yield();
      EXPECT_EQ(leading[key].fetch_sub(1), 1);
      if ((seed + turn) % 5 != 0) flight.finish();  // otherwise it has failed
    }
    ++ended;
  };
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      ManualExecutor executor;
      std::deque<StartedTask<>> started;
      for (int task = 0; task < tasks; ++task) started.emplace_back(work(static_cast<unsigned>(thread * 100 + task)));
      const auto all = [&] { return std::ranges::all_of(started, [](const auto& each) { return each.ended(); }); };
      while (!all()) {
        if (executor.run() == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(ended, threads * tasks);
  EXPECT_GT(led, 0);
  EXPECT_EQ(flights.size(), 0U);
}

}  // namespace
}  // namespace tern::coro
