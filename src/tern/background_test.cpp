// Background tasks, and the order of the end.
#include "tern/running_app.hpp"

#include <tern/tern.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Background = RunningAppTest;

TEST_F(Background, a_background_task_outlives_its_request_and_its_client) {
  std::promise<std::string> ended;
  Event event;
  app.get("/spawn/{name}", [&](std::string name) {
    spawn([&, name = std::move(name)]() -> Task<> {
      co_await event;
      ended.set_value(name);
    });
    return "spawned";
  });
  Options options = quiet();
  options.threads = 1;
  app.start(options);
  EXPECT_TRUE(get(app.port(), "/spawn/a-long-name-that-is-no-small-string").ends_with("spawned"));
  app.spawn([&event] { event.set(); });
  EXPECT_EQ(ended.get_future().get(), "a-long-name-that-is-no-small-string");
  app.stop();
}

TEST_F(Background, requests_then_their_work_then_background_tasks_then_stop_hooks) {
  Event answer;
  Event after;
  std::promise<void> asked;
  app.get("/slow", [&](Request& request) -> Task<Response> {
    const std::string name(request.path());
    asked.set_value();
    co_await answer;
    recorder.record("request " + name);
    co_return Response::text("slow").after([&]() -> Task<> {
      spawn([&]() -> Task<> {
        co_await yield();
        after.set();
      });
      co_await after;
      recorder.record("after");
    });
  });
  app.on_start([&] {
    spawn([&]() -> Task<> {
      try {
        co_await for_ever();
      } catch (const Cancelled&) {
      }
      co_await uncancelled(sleep_for(Milliseconds(20)));
      recorder.record("background");
    });
  });
  app.on_stop([&] { recorder.record("stop"); });
  Options options = quiet();
  options.threads = 1;
  app.start(options);
  net::Peer peer = connect(app.port());
  peer.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  asked.get_future().get();
  app.stop(false);
  EXPECT_TRUE(recorder.recorded().empty());
  app.spawn([&answer] { answer.set(); });
  EXPECT_TRUE(peer.receive_all().ends_with("slow"));
  peer.close();
  app.wait();
  EXPECT_THAT(recorder.recorded(), ElementsAre("request /slow", "after", "background", "stop"));
}

// The hook runs on the first loop, the task on whichever.
TEST_F(Background, stop_hooks_wait_for_the_tasks_of_all_loops) {
  std::atomic<int> running = 0;
  app.get("/spawn", [&running] {
    ++running;
    spawn([&running]() -> Task<> {
      try {
        co_await for_ever();
      } catch (const Cancelled&) {
      }
      co_await uncancelled(sleep_for(Milliseconds(20)));
      --running;
    });
    return "spawned";
  });
  int left = -1;
  app.on_stop([&] { left = running; });
  Options options = quiet();
  options.threads = 4;
  app.start(options);
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(get(app.port(), "/spawn").ends_with("spawned"));
  EXPECT_EQ(running, 40);
  app.stop();
  EXPECT_EQ(left, 0);
}

TEST_F(Background, what_does_not_end_in_time_is_destroyed_and_stop_hooks_run_before_that) {
  struct Guard {
    EventRecorder& recorder;
    ~Guard() { recorder.record("destroyed"); }
  };
  app.on_start([&] {
    spawn([&]() -> Task<> {
      const Guard guard{recorder};
      co_await uncancelled(for_ever());
    });
  });
  app.on_stop([&] { recorder.record("stopped"); });
  Options options = quiet();
  options.timeouts.drain = Milliseconds(1);
  app.start(options);
  app.stop();
  EXPECT_THAT(recorder.recorded(), ElementsAre("stopped", "destroyed"));
}

TEST_F(Background, what_a_background_task_throws_is_logged) {
  app.get("/spawn", [] {
    spawn([]() -> Task<> {
      co_await yield();
      throw std::runtime_error("out of paper");
    });
    return "spawned";
  });
  app.start(logged());
  EXPECT_TRUE(get(app.port(), "/spawn").ends_with("spawned"));
  app.stop();
  EXPECT_THAT(content_of(folder.path / "error"), HasSubstr("error a background task failed: out of paper\n"));
}

TEST_F(Background, spawning_needs_an_app_that_runs) {
  EXPECT_THROW(app.spawn([] {}), SetupError);
  EXPECT_THROW(spawn([] {}), std::logic_error);
  app.start(quiet());
  EXPECT_THROW(spawn([] {}), std::logic_error);  // this thread is none of its loops
  app.stop();
  EXPECT_THROW(app.spawn([] {}), SetupError);
}

TEST_F(Background, a_task_is_spawned_on_the_loop_that_asks_or_else_on_the_first_of_the_app_that_is_asked) {
  App other;
  Executor* others = nullptr;
  other.on_start([&] { others = Executor::current(); });
  other.start(quiet());
  std::promise<void> checked;
  app.get("/spawn", [&] {
    Executor* here = Executor::current();
    bool same = false;
    app.spawn([&] { same = Executor::current() == here; });
    recorder.record(same ? "here, at once" : "elsewhere");
    other.spawn([&] {
      recorder.record(Executor::current() == others ? "the other" : "elsewhere");
      checked.set_value();
    });
    return "spawned";
  });
  app.start(quiet());
  EXPECT_TRUE(get(app.port(), "/spawn").ends_with("spawned"));
  checked.get_future().get();
  app.stop();
  other.stop();
  EXPECT_THAT(recorder.recorded(), ElementsAre("here, at once", "the other"));
}

TEST_F(Background, tasks_come_from_many_threads_while_the_app_stops) {
  std::atomic<int> begun = 0;
  std::atomic<int> destroyed = 0;
  std::atomic<int> given = 0;
  struct Guard {
    std::atomic<int>* destroyed;
    explicit Guard(std::atomic<int>& count) : destroyed(&count) {}
    Guard(Guard&& from) noexcept : destroyed(std::exchange(from.destroyed, nullptr)) {}
    ~Guard() {
      if (destroyed != nullptr) ++*destroyed;
    }
  };
  for (int round = 0; round < 5; ++round) {
    app.start(quiet());
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        try {
          for (int n = 0; n < 2000; ++n) {
            app.spawn([&begun, guard = Guard(destroyed)]() -> Task<> {
              ++begun;
              co_await yield();
            });
            ++given;
          }
        } catch (const SetupError&) {  // it has stopped
          ++given;                     // this one was given, too, and is gone by now
        }
      });
    }
    while (begun < 10 * (round + 1)) std::this_thread::yield();
    app.stop();
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(destroyed, given);
}

}  // namespace
}  // namespace tern
