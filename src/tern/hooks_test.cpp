// on_start and on_stop.
#include "tern/running_app.hpp"

#include <tern/tern.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tern {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Hooks = RunningAppTest;

TEST_F(Hooks, start_hooks_run_in_order_on_the_first_loop) {
  std::vector<Executor*> where;
  app.on_start([&] {
    recorder.record("one " + app.address());
    where.push_back(Executor::current());
  });
  app.on_start([&]() -> Task<> {
    co_await yield();
    recorder.record("two");
    where.push_back(Executor::current());
  });
  app.on_start([&] { recorder.record("three"); });
  app.start(quiet());
  EXPECT_THAT(recorder.recorded(), ElementsAre("one " + app.address(), "two", "three"));
  EXPECT_NE(where[0], nullptr);
  EXPECT_EQ(where[0], where[1]);
  std::promise<Executor*> first;
  app.spawn([&first] { first.set_value(Executor::current()); });
  EXPECT_EQ(first.get_future().get(), where[0]);
  app.stop();
}

TEST_F(Hooks, requests_wait_until_the_start_hooks_have_ended) {
  net::Peer early;
  app.get("/told", [&] {
    recorder.record("served");
    return "told";
  });
  app.on_start([&]() -> Task<> {
    early = connect(app.port());
    early.send("GET /told HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    co_await sleep_for(Milliseconds(50));
    recorder.record("started");
  });
  app.start(quiet());
  EXPECT_TRUE(early.receive_all().ends_with("told"));
  EXPECT_THAT(recorder.recorded(), ElementsAre("started", "served"));
}

TEST_F(Hooks, stop_hooks_run_once_in_reverse_order_on_the_first_loop) {
  Executor* first = nullptr;
  app.on_start([&] { first = Executor::current(); });
  app.on_stop([&] { recorder.record(Executor::current() == first ? "first" : "elsewhere"); });
  app.on_stop([&]() -> Task<> {
    co_await sleep_for(Milliseconds(1));
    recorder.record("second");
  });
  for (int run = 0; run < 2; ++run) {
    app.start(quiet());
    app.stop();
    app.stop();
  }
  EXPECT_THAT(recorder.recorded(), ElementsAre("second", "first", "second", "first"));
}

TEST_F(Hooks, stop_hooks_run_when_the_app_is_destroyed) {
  {
    App other;
    other.on_stop([&] { recorder.record("stopped"); });
    other.start(quiet());
  }
  EXPECT_THAT(recorder.recorded(), ElementsAre("stopped"));
}

TEST_F(Hooks, stop_hooks_run_when_a_handler_stops_the_app) {
  std::promise<void> stopped;
  app.get("/stop", [&] {
    app.stop();
    return "stopping";
  });
  app.on_stop([&] { stopped.set_value(); });
  app.start(quiet());
  EXPECT_TRUE(get(app.port(), "/stop").ends_with("stopping"));
  stopped.get_future().get();  // no thread waits for the app
  app.wait();
}

TEST_F(Hooks, stop_hooks_run_after_a_signal) {
  app.on_start([] { ::raise(SIGTERM); });
  app.on_stop([&] { recorder.record("stopped"); });
  EXPECT_EQ(app.run(quiet()), 0);
  EXPECT_THAT(recorder.recorded(), ElementsAre("stopped"));
}

TEST_F(Hooks, what_a_stop_hook_throws_is_logged_and_the_next_one_runs) {
  app.on_stop([&] { recorder.record("stopped"); });
  app.on_stop([]() -> Task<> {
    co_await yield();
    throw std::runtime_error("no such table");
  });
  app.start(logged());
  app.stop();
  EXPECT_THAT(recorder.recorded(), ElementsAre("stopped"));
  EXPECT_THAT(content_of(folder.path / "error"), HasSubstr("error an on_stop hook failed: no such table\n"));
}

TEST_F(Hooks, a_stop_hook_that_waits_too_long_is_stopped_a_second_after_the_drain) {
  app.on_stop([&] { recorder.record("next"); });
  app.on_stop([&]() -> Task<> {
    try {
      co_await for_ever();
    } catch (const Cancelled&) {
      recorder.record("stopped");
    }
  });
  Options options = quiet();
  options.timeouts.drain = Milliseconds(1);
  app.start(options);
  app.stop();
  EXPECT_THAT(recorder.recorded(), ElementsAre("stopped", "next"));
}

TEST_F(Hooks, a_second_signal_leaves_a_stop_hook_that_waits_a_second) {
  app.on_start([] { ::raise(SIGTERM); });
  app.on_stop([&]() -> Task<> {
    ::raise(SIGTERM);
    try {
      co_await for_ever();
    } catch (const Cancelled&) {
      recorder.record("stopped");
    }
  });
  Options options = quiet();
  options.timeouts.drain = Seconds(600);
  EXPECT_EQ(app.run(options), 0);
  EXPECT_THAT(recorder.recorded(), ElementsAre("stopped"));
}

TEST_F(Hooks, a_stop_hook_has_what_is_left_of_the_drain) {
  app.on_stop([&]() -> Task<> {
    co_await sleep_for(Milliseconds(1300));
    recorder.record("ended");
  });
  app.start(quiet());
  app.stop();
  EXPECT_THAT(recorder.recorded(), ElementsAre("ended"));
}

TEST_F(Hooks, a_start_hook_that_throws_ends_the_start_and_runs_no_stop_hook) {
  bool ends = false;
  struct Guard {
    bool& flag;
    ~Guard() { flag = true; }
  };
  app.on_start([&ends] {
    spawn([&ends]() -> Task<> {
      const Guard guard{ends};
      co_await for_ever();
    });
  });
  app.on_start([&]() -> Task<> {
    co_await yield();
    throw std::runtime_error("no database");
  });
  app.on_start([&] { recorder.record("not reached"); });
  app.on_stop([&] { recorder.record("stopped"); });
  app.every(Milliseconds(1), [&] { recorder.record("every"); });
  EXPECT_EQ(failure_of_start(), "no database");
  EXPECT_TRUE(ends);
  EXPECT_EQ(app.port(), 0);
  EXPECT_TRUE(recorder.recorded().empty());
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(app.run(quiet()), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "tern: cannot serve: no database\n");
}

TEST_F(Hooks, a_stop_during_the_start_ends_it) {
  std::promise<void> waiting;
  std::atomic<bool> served = false;
  app.get("/served", [&served] {
    served = true;
    return "served";
  });
  std::optional<net::Peer> early;
  app.on_start([&]() -> Task<> {
    early = connect(app.port());
    early->send("GET /served HTTP/1.1\r\nHost: a\r\n\r\n");
    waiting.set_value();
    co_await for_ever();
  });
  app.on_stop([&] { recorder.record("stopped"); });
  std::thread stopper([&] {
    waiting.get_future().get();
    app.stop(false);
  });
  EXPECT_EQ(failure_of_start(), "the app was stopped before it had started");
  stopper.join();
  EXPECT_TRUE(recorder.recorded().empty());
  EXPECT_FALSE(served);
}

TEST_F(Hooks, a_signal_during_the_start_ends_run_with_0) {
  app.on_start([&]() -> Task<> {
    ::raise(SIGTERM);
    co_await for_ever();
  });
  app.on_stop([&] { recorder.record("stopped"); });
  EXPECT_EQ(app.run(quiet()), 0);
  EXPECT_TRUE(recorder.recorded().empty());
}

TEST_F(Hooks, a_start_hook_may_stop_the_app) {
  app.on_start([&] { app.stop(); });
  app.on_stop([&] { recorder.record("stopped"); });
  app.start(quiet());
  app.wait();
  EXPECT_THAT(recorder.recorded(), ElementsAre("stopped"));
}

TEST_F(Hooks, hooks_are_registered_before_the_start) {
  app.start(quiet());
  EXPECT_THROW(app.on_start([] {}), SetupError);
  EXPECT_THROW(app.on_stop([] {}), SetupError);
  EXPECT_THROW(app.every(Seconds(1), [] {}), SetupError);
}

}  // namespace
}  // namespace tern
