// Work after the response: when it runs, and whom it does not hold up.
#include "server/app_test.hpp"

#include <tern/base/block_pool.hpp>

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tern::testing {
namespace {

using ::testing::ElementsAre;

class After : public AppTest {
protected:
  After() {
    app.get("/hello", [] { return "Hello, World!"; });
  }

  // A response with work that waits at the gate, and then tells.
  Response gated(std::string name) {
    return Response::text(name).after([this, name]() -> Task<> {
      co_await gate.pass();
      done.push_back(name);
    });
  }
  // Whether the loop has done all this.
  bool has_done(std::vector<std::string> all) {
    return running().eventually([&] { return done == all; });
  }
  std::uint64_t sends() { return running().counters().sends.value(); }

  std::vector<std::string> done;  // the loop's
};

TEST_F(After, runs_when_the_answer_has_been_sent) {
  std::vector<std::uint64_t> sent;
  app.get("/plain", [&] { return Response::text("x").after([&] { sent.push_back(sends()); }); });
  app.get("/late", [&]() -> Task<Response> {
    co_await yield();
    co_return Response::text("x").after([&]() -> Task<> {
      sent.push_back(sends());
      co_return;
    });
  });
  Client client = this->client();
  EXPECT_EQ(client.ask("/plain").body, "x");
  EXPECT_EQ(client.ask("/late").body, "x");
  ASSERT_TRUE(running().eventually([&] { return sent.size() == 2; }));
  EXPECT_THAT(sent, ElementsAre(1U, 2U));
}

TEST_F(After, holds_up_neither_its_connection_nor_others) {
  app.get("/{name}", [this](std::string name) { return gated(std::move(name)); });
  Client client = this->client();
  client.get("/one");
  client.get("/two");  // in the same pipeline
  EXPECT_EQ(client.answer().body, "one");
  EXPECT_EQ(client.answer().body, "two");
  ASSERT_TRUE(gate.await(2));
  EXPECT_EQ(client.ask("/hello").body, "Hello, World!");
  EXPECT_EQ(this->client().ask("/hello").body, "Hello, World!");
  EXPECT_TRUE(running().on_loop([this] { return done.empty(); }));
  gate.open();
  EXPECT_TRUE(has_done({"one", "two"}));
}

TEST_F(After, keeps_what_it_captures_when_the_request_is_long_gone) {
  app.get("/{name}", [this](Request&, std::string name) {
    return Response::text("x").after([this, name = std::move(name)]() -> Task<> {
      co_await gate.pass();
      done.push_back(name);
    });
  });
  {
    Client client = this->client();
    EXPECT_EQ(client.ask("/a-name-that-is-long-enough-to-be-on-the-heap").status, 200);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(client.ask("/hello").status, 200);
  }
  ASSERT_TRUE(gate.await());
  gate.open();
  EXPECT_TRUE(has_done({"a-name-that-is-long-enough-to-be-on-the-heap"}));
}

TEST_F(After, runs_one_after_the_other_also_when_one_fails) {
  const auto folder = std::filesystem::temp_directory_path() / ("tern-after-" + std::to_string(::getpid()));
  app.use([this](Request&, Next next) {
    return next().then([this](Response response) {
      response.after([this] { done.emplace_back("middleware"); });
      return response;
    });
  });
  app.get("/", [this] {
    return Response::text("x")
        .after([this]() -> Task<> {
          co_await gate.pass();
          done.emplace_back("first");
          throw std::runtime_error("mail server is down");
        })
        .after([this] { done.emplace_back("second"); });
  });
  {
    server::Log::Options log;
    log.error_file = folder;
    Running server(app.service(), settings, 1, log);
    EXPECT_EQ(server.client().ask("/").body, "x");
    ASSERT_TRUE(gate.await());
    EXPECT_TRUE(server.on_loop([this] { return done.empty(); }));
    gate.open();
    ASSERT_TRUE(server.eventually([this] { return done.size() == 3; }));
  }
  EXPECT_THAT(done, ElementsAre("first", "second", "middleware"));
  std::ostringstream logged;
  logged << std::ifstream(folder).rdbuf();
  EXPECT_NE(logged.str().find(" error work after a response failed: mail server is down\n"), std::string::npos)
      << logged.str();
  std::filesystem::remove(folder);
}

TEST_F(After, waits_for_the_end_of_a_stream) {
  app.get("/", [this] {
    return Response::stream("text/plain",
                            [this](Writer& writer) -> Task<> {
                              co_await writer.write("x");
                              co_await gate.pass();
                              co_await writer.write("y");
                              done.emplace_back("stream");
                            })
        .after([this] { done.push_back("after " + std::to_string(sends())); });
  });
  Client client = this->client();
  client.get("/");
  ASSERT_TRUE(gate.await());
  EXPECT_TRUE(running().on_loop([this] { return done.empty(); }));
  gate.open();
  EXPECT_EQ(client.answer().body, "xy");
  ASSERT_TRUE(running().eventually([this] { return done.size() == 2; }));
  EXPECT_EQ(done[0], "stream");
  EXPECT_EQ(done[1], "after " + std::to_string(sends()));
}

TEST_F(After, runs_when_a_stream_breaks_off_or_sends_nothing) {
  app.get("/broken", [this] {
    return Response::stream("text/plain",
                            [](Writer& writer) -> Task<> {
                              co_await writer.write("x");
                              throw std::runtime_error("broken");
                            })
        .after([this] { done.emplace_back("broken"); });
  });
  app.get("/unread", [this] {
    return Response::stream("text/plain", [](Writer&) -> Task<> { co_return; }).after([this] {
      done.emplace_back("head");
    });
  });
  client().get("/broken");
  EXPECT_TRUE(has_done({"broken"}));
  Client client = this->client();
  client.send("HEAD /unread HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(has_done({"broken", "head"}));
}

TEST_F(After, runs_when_the_client_has_gone_before_the_answer) {
  app.get("/", [this]() -> Task<Response> {
    co_await gate.pass();
    co_return Response::text("x").after([this] { done.emplace_back("after"); });
  });
  app.get("/stream", [this]() -> Task<Response> {
    co_await gate.pass();
    co_return Response::stream("text/plain", [this](Writer&) -> Task<> {
      done.emplace_back("never");
      co_return;
    }).after([this] { done.emplace_back("after stream"); });
  });
  const auto abandon = [this](std::string_view path) {
    Client client = this->client();
    client.get(path);
    EXPECT_TRUE(gate.await());
    client.peer().reset();
    EXPECT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
    gate.open();
  };
  abandon("/");
  EXPECT_TRUE(has_done({"after"}));
  abandon("/stream");
  EXPECT_TRUE(has_done({"after", "after stream"}));
  EXPECT_TRUE(all_ended());
}

TEST_F(After, runs_when_the_client_goes_in_the_middle_of_a_stream) {
  app.get("/", [this] {
    return Response::stream("text/plain",
                            [this](Writer& writer) -> Task<> {
                              co_await writer.write("x");
                              co_await gate.pass();
                              co_await writer.write("y");
                              done.emplace_back("never");
                            })
        .after([this] { done.emplace_back("after"); });
  });
  {
    Client client = this->client();
    client.get("/");
    ASSERT_TRUE(gate.await());
    client.peer().reset();
    ASSERT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  }
  gate.open();
  EXPECT_TRUE(has_done({"after"}));
}

TEST_F(After, is_not_stopped_by_the_client) {
  Event event;
  app.get("/", [&] {
    return Response::text("x").after([&]() -> Task<> {
      co_await event;
      const StopToken token = co_await current_stop();
      done.emplace_back(token.stop_requested() ? "stopped" : "not stopped");
    });
  });
  {
    Client client = this->client();
    EXPECT_EQ(client.ask("/").body, "x");
    client.peer().reset();
  }
  ASSERT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  running().on_loop([&event] { event.set(); });
  EXPECT_TRUE(has_done({"not stopped"}));
}

TEST_F(After, runs_when_a_handler_that_was_too_late_returns) {
  app.get("/",
          [this]() -> Task<Response> {
            co_await gate.pass();
            co_return Response::text("x").after([this] { done.emplace_back("after"); });
          })
      .limits({.answer = Milliseconds(30)});
  Client client = this->client();
  EXPECT_EQ(client.ask("/").status, 503);
  EXPECT_TRUE(running().on_loop([this] { return done.empty(); }));
  gate.open();
  EXPECT_TRUE(has_done({"after"}));
}

TEST_F(After, goes_with_a_response_that_is_replaced) {
  auto replaced = app.group("/replaced");
  replaced.use([](Request&, Next next) { return next().then([](Response) { return Response::text("other"); }); });
  replaced.get("/", [this] { return gated("never"); });
  app.get("/thrown", [this] {
    const Response response = gated("never");
    throw HttpError(Status::Conflict);
    return 1;
  });
  app.get("/refused",
          [this] { return Response(static_cast<Status>(999)).after([this] { done.emplace_back("never"); }); });
  Client client = this->client();
  EXPECT_EQ(client.ask("/replaced/").body, "other");
  EXPECT_EQ(client.ask("/thrown").status, 409);
  EXPECT_EQ(client.ask("/refused").status, 500);
  running().drain();
  client.peer().close();
  running().wait();
  EXPECT_TRUE(done.empty());
}

TEST_F(After, is_waited_for_by_the_drain) {
  app.get("/", [this] { return gated("after"); });
  Client client = this->client();
  EXPECT_EQ(client.ask("/").status, 200);
  ASSERT_TRUE(gate.await());
  running().drain();
  EXPECT_TRUE(client.ends());
  client.peer().close();
  ASSERT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  gate.open();
  running().wait();
  EXPECT_THAT(done, ElementsAre("after"));
}

// The drain and the work meet in one round of the loop.
TEST_F(After, that_has_not_begun_when_the_drain_does_is_waited_for) {
  app.get("/", [this] {
    return Response::text("x").close().after([this] {
      done.emplace_back(running().worker().draining() ? "draining" : "serving");
      spawn([this]() -> Task<> {
        co_await yield();  // not stopped yet
        done.emplace_back("spawned");
      });
    });
  });
  Running& server = running();
  Client client = this->client();
  server.on_loop([&] {
    client.get("/");
    server.drain();
  });
  EXPECT_EQ(client.answer().body, "x");
  client.peer().close();
  server.wait();
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done.front(), "draining");
}

TEST_F(After, is_given_up_at_the_end_of_the_drain) {
  app.get("/", [this] {
    return Response::text("x").after([this]() -> Task<> {
      try {
        co_await sleep_for(Seconds(1000));
      } catch (const Cancelled&) {
        done.emplace_back("stopped");
      }
      co_await uncancelled(sleep_for(Seconds(1000)));
      done.emplace_back("never");
    });
  });
  Client client = this->client();
  EXPECT_EQ(client.ask("/").status, 200);
  running().drain(Milliseconds(30));
  running().wait();
  EXPECT_THAT(done, ElementsAre("stopped"));
}

TEST_F(After, takes_its_memory_from_the_pool) {
  int count = 0;
  app.get("/", [&count] {
    return Response::borrowed(media::text, "x")
        .after([&count, a = 1L, b = 2L, c = 3L, d = 4L] { count += static_cast<int>(a + b + c + d); })
        .after([&count]() -> Task<> {
          co_await yield();
          ++count;
        });
  });
  Client client = this->client();
  int expected = 0;
  const auto ask = [&](int times) {
    for (int i = 0; i < times; ++i) {
      EXPECT_EQ(client.ask("/").status, 200);
      expected += 11;
      EXPECT_TRUE(running().eventually([&] { return count == expected; }));
    }
    return running().on_loop([] { return base::blocks_from_heap(); });
  };
  const std::size_t before = ask(20);
  EXPECT_EQ(ask(200), before);
}

}  // namespace
}  // namespace tern::testing
