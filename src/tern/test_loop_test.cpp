// The test client's loop: waiting, background tasks and work after the response, without threads and in no time.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::ElementsAre;

struct TestClientLoop : ::testing::Test {
  App app;
  std::vector<std::string> recorder;
};

TEST_F(TestClientLoop, lets_time_pass_when_a_handler_waits_for_it) {
  app.get("/", []() -> Task<std::string> {
    co_await sleep_for(Seconds(600));
    co_return "at last";
  });
  app.get("/late", []() -> Task<int> {
    co_return co_await with_timeout(Seconds(1), [&]() -> Task<int> {
      co_await sleep_for(Seconds(2));
      co_return 1;
    }());
  });
  Client client(app);
  EXPECT_EQ(client.get("/").body, "at last");
  EXPECT_EQ(client.get("/late").status, 503);
}

// A connection that is kept for later: nothing is expected of its peer.
struct IdleSocket final : Watch::Handler {
  void on_ready(bool, bool) noexcept override {}
  bool awaits_peer() const noexcept override { return false; }
};

TEST_F(TestClientLoop, lets_time_pass_beside_an_idle_connection) {
  std::array<int, 2> sockets{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
  IdleSocket idle;
  app.get("/", [&]() -> Task<int> {
    const auto watch = Executor::current()->watch(sockets[0], idle);
    EXPECT_TRUE(watch->want(true, false));
    int seconds = 0;
    for (; seconds < 3000; ++seconds) co_await sleep_for(Seconds(1));  // for longer than the test may take
    co_return seconds;
  });
  EXPECT_EQ(Client(app).get("/").body, "3000");
  ::close(sockets[0]);
  ::close(sockets[1]);
}

TEST_F(TestClientLoop, calls_what_is_offloaded_on_the_spot) {
  app.get("/", []() -> Task<int> { co_return co_await offload([] { return 7; }); });
  app.get("/blocking", blocking([] { return 8; }));
  Client client(app);
  EXPECT_EQ(client.get("/").body, "7");
  EXPECT_EQ(client.get("/blocking").body, "8");
}

TEST_F(TestClientLoop, streams_what_waits) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      for (int i = 0; i < 3; ++i) {
        co_await sleep_for(Seconds(1));
        co_await writer.write(std::to_string(i));
      }
    });
  });
  EXPECT_EQ(Client(app).get("/").body, "012");
}

TEST_F(TestClientLoop, gives_up_a_handler_that_waits_for_what_never_happens) {
  Event never;
  app.get("/event", [&never]() -> Task<int> {
    co_await never;
    co_return 1;
  });
  app.get("/for-ever", []() -> Task<int> {
    while (true) co_await sleep_for(Seconds(60));
  });
  Client client(app);
  EXPECT_THROW((void)client.get("/event"), std::runtime_error);
  EXPECT_THROW((void)client.get("/for-ever"), std::runtime_error);
}

TEST_F(TestClientLoop, runs_background_tasks_up_to_their_first_timer_and_then_by_advance) {
  app.post("/", [this] {
    spawn([this]() -> Task<> {
      co_await yield();
      recorder.emplace_back("begun");
      for (int i = 1; i <= 3; ++i) {
        co_await sleep_for(Seconds(10));
        recorder.push_back(std::to_string(i));
      }
    });
    recorder.emplace_back("spawned");
    return Status::Accepted;
  });
  Client client(app);
  EXPECT_EQ(client.post("/", "").status, 202);
  EXPECT_THAT(recorder, ElementsAre("spawned", "begun"));
  client.advance(Seconds(9));
  EXPECT_EQ(recorder.size(), 2U);
  client.advance(Seconds(1));
  EXPECT_EQ(recorder.size(), 3U);
  client.advance(Seconds(60));
  EXPECT_THAT(recorder, ElementsAre("spawned", "begun", "1", "2", "3"));
}

TEST_F(TestClientLoop, takes_tasks_that_are_spawned_on_the_app) {
  app.get("/", [this] {
    app.spawn([this] { recorder.emplace_back("here"); });
    return recorder.size();
  });
  EXPECT_EQ(Client(app).get("/").body, "1");
}

TEST_F(TestClientLoop, runs_work_after_the_response_when_the_answer_is_complete) {
  app.get("/", [this] {
    return Response::stream("text/plain",
                            [this](Writer& writer) -> Task<> {
                              co_await writer.write("x");
                              recorder.emplace_back("streamed");
                            })
        .after([this] { recorder.emplace_back("after"); })
        .after([this]() -> Task<> {
          co_await sleep_for(Seconds(1));
          recorder.emplace_back("late");
        });
  });
  Client client(app);
  EXPECT_EQ(client.get("/").body, "x");
  EXPECT_THAT(recorder, ElementsAre("streamed", "after"));
  client.advance(Seconds(1));
  EXPECT_THAT(recorder, ElementsAre("streamed", "after", "late"));
}

TEST_F(TestClientLoop, reports_what_background_tasks_and_work_after_the_response_throw) {
  app.get("/", [] {
    spawn([]() -> Task<> {
      co_await yield();
      throw std::runtime_error("one");
    });
    return Response::text("x").after([] { throw std::runtime_error("two"); }).after([] { throw 3; });
  });
  Client client(app);
  EXPECT_EQ(client.get("/").status, 200);
  EXPECT_THAT(client.reports(),
              ::testing::UnorderedElementsAre("a background task failed: one", "work after a response failed: two",
                                              "work after a response failed: an exception that is no std::exception"));
}

TEST_F(TestClientLoop, stops_what_is_left_when_the_client_is_destroyed) {
  const auto held = std::make_shared<int>();
  Event never;
  app.get("/", [&] {
    spawn([this, held]() -> Task<> {
      try {
        co_await sleep_for(Seconds(1));
      } catch (const Cancelled&) {
        recorder.emplace_back("stopped");
      }
    });
    spawn([held, &never]() -> Task<> { co_await uncancelled(never.wait()); });
    return Response::text("x").after([held]() -> Task<> { co_await sleep_for(Seconds(1)); });
  });
  {
    Client client(app);
    EXPECT_EQ(client.get("/").status, 200);
    EXPECT_EQ(held.use_count(), 4);
  }
  EXPECT_THAT(recorder, ElementsAre("stopped"));
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(TestClientLoop, two_clients_do_not_share_their_time) {
  app.get("/", [this] {
    spawn([this]() -> Task<> {
      co_await sleep_for(Seconds(1));
      recorder.emplace_back("done");
    });
  });
  std::optional<Client> first(app);
  Client second(app);
  EXPECT_EQ(first->get("/").status, 204);
  EXPECT_EQ(second.get("/").status, 204);
  first->advance(Seconds(5));
  EXPECT_EQ(recorder.size(), 1U);
  first.reset();
  second.advance(Seconds(1));
  EXPECT_EQ(recorder.size(), 2U);
}

}  // namespace
}  // namespace tern::testing
