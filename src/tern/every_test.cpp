// App::every(), on a loop whose time the test makes, and in an app.
#include "coro/manual_executor.hpp"
#include "tern/life.hpp"
#include "tern/running_app.hpp"

#include <tern/tern.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tern {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using EveryOfApp = RunningAppTest;

// Runs it on a loop whose time the test makes.
class Every : public ::testing::Test {
protected:
  template <class F>
  void repeat_every(Milliseconds interval, F f) {
    repeated.interval = interval;
    repeated.work = coro::make_work(std::move(f));
    running.emplace(repeat(repeated, log), &stop);
  }
  std::uint64_t time() const { return executor.now() - start; }

  TestFolder folder;
  logging::Log log{{.error_file = folder.path / "error"}};
  coro::ManualExecutor executor;
  const std::uint64_t start = executor.now();
  StopState stop;
  app::Hooks::Repeated repeated;
  std::vector<std::uint64_t> times;
  std::optional<coro::StartedTask<>> running;
};

TEST_F(Every, runs_at_each_multiple_of_its_interval_for_the_first_time_after_one) {
  repeat_every(Milliseconds(100), [this] { times.push_back(time()); });
  executor.advance(99);
  EXPECT_TRUE(times.empty());
  executor.advance(401);
  EXPECT_THAT(times, ElementsAre(100, 200, 300, 400, 500));
}

TEST_F(Every, never_overlaps_itself_and_skips_what_it_has_no_time_for) {
  repeat_every(Milliseconds(100), [this]() -> Task<> {
    times.push_back(time());
    co_await sleep_for(Milliseconds(times.size() == 1 ? 250 : 50));
    times.push_back(time());
  });
  executor.advance(600);
  EXPECT_THAT(times, ElementsAre(100, 350, 400, 450, 500, 550, 600));
}

TEST_F(Every, a_run_that_ends_when_the_next_is_due_is_followed_by_the_one_after) {
  repeat_every(Milliseconds(100), [this]() -> Task<> {
    times.push_back(time());
    co_await sleep_for(Milliseconds(100));
  });
  executor.advance(500);
  EXPECT_THAT(times, ElementsAre(100, 300, 500));
}

TEST_F(Every, an_exception_is_logged_and_the_next_run_comes) {
  repeat_every(Milliseconds(100), [this, n = 0]() mutable {
    times.push_back(time());
    if (++n == 1) throw std::runtime_error("disk full");
    if (n == 2) throw Cancelled();
  });
  executor.advance(300);
  EXPECT_THAT(times, ElementsAre(100, 200, 300));
  while (content_of(folder.path / "error").empty()) std::this_thread::yield();
  EXPECT_THAT(content_of(folder.path / "error"), HasSubstr("error a run of every() failed: disk full\n"));
}

TEST_F(Every, ends_when_it_is_stopped_between_runs_or_in_one) {
  repeat_every(Milliseconds(100), [] {});
  executor.advance(150);
  EXPECT_FALSE(running->ended());
  stop.stop();
  executor.run();
  EXPECT_TRUE(running->ended());
  EXPECT_EQ(executor.timers_armed(), 0U);

  stop.reset();
  bool cancelled = false;
  repeat_every(Milliseconds(100), [&cancelled]() -> Task<> {
    try {
      co_await for_ever();
    } catch (const Cancelled&) {
      cancelled = true;
    }
  });
  executor.advance(150);
  stop.stop();
  executor.run();
  EXPECT_TRUE(cancelled);
  EXPECT_TRUE(running->ended());
}

TEST_F(EveryOfApp, every_runs_on_the_first_loop_until_the_drain_begins) {
  Event answer;
  std::promise<void> asked;
  std::promise<void> cancelled;
  Executor* first = nullptr;
  app.on_start([&] { first = Executor::current(); });
  app.every(Milliseconds(1), [&]() -> Task<> {
    recorder.record(Executor::current() == first ? "run" : "elsewhere");
    try {
      co_await for_ever();
    } catch (const Cancelled&) {
      cancelled.set_value();
      throw;
    }
  });
  app.get("/slow", [&]() -> Task<Response> {
    asked.set_value();
    co_await answer;
    co_return Response::text("slow");
  });
  Options options = quiet();
  options.threads = 1;
  app.start(options);
  net::Peer peer = connect(app.port());
  peer.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  asked.get_future().get();
  while (recorder.recorded().empty()) std::this_thread::yield();
  app.stop(false);
  cancelled.get_future().get();  // although a request is still being answered
  app.spawn([&answer] { answer.set(); });
  EXPECT_TRUE(peer.receive_all().ends_with("slow"));
  peer.close();
  app.wait();
  EXPECT_THAT(recorder.recorded(), ElementsAre("run"));
}

TEST_F(EveryOfApp, every_takes_an_interval_that_is_longer_than_zero) {
  for (const int milliseconds : {0, -1}) {
    App other;
    other.every(Milliseconds(milliseconds), [] {});
    EXPECT_THROW(other.start(quiet()), SetupError);
  }
}

}  // namespace
}  // namespace tern
