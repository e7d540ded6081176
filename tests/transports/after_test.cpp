// Work after the response: when it runs, and that it blocks no request.
#include "transports/transport_test.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tern::testing {
namespace {

using ::testing::ElementsAre;

class After : public TransportTest {
protected:
  // A response with work that waits at the gate, and then tells.
  Response gated(std::string name) {
    return Response::text(name).after([this, name]() -> Task<> {
      co_await gate.pass();
      done.push_back(name);
    });
  }
  // A stream that waits at the gate, and with work behind it; both tell.
  Response stream_through_gate(std::string name) {
    return Response::stream("text/plain",
                            [this, name](Writer& writer) -> Task<> {
                              co_await writer.write("x");
                              co_await gate.pass();
                              co_await writer.write("y");
                              done.push_back(name);
                            })
        .after([this] { done.emplace_back("after"); });
  }
  // Whether the loop has done all this.
  bool has_done(std::vector<std::string> all) {
    return running().eventually([&] { return done == all; });
  }
  bool has_done_nothing() {
    return running().on_loop([this] { return done.empty(); });
  }

  std::vector<std::string> done;  // the loop's
};
INSTANTIATE_TEST_SUITE_P(Over, After, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(After, blocks_neither_its_connection_nor_others) {
  app.get("/{name}", [this](std::string name) { return gated(std::move(name)); });
  TransportClient first = make_client();
  EXPECT_EQ(first.answer_of("/one").content, "one");
  EXPECT_EQ(first.answer_of("/two").content, "two");
  ASSERT_TRUE(gate.await(2));
  EXPECT_EQ(first.answer_of("/hello").content, "Hello, World!");
  EXPECT_EQ(make_client().answer_of("/hello").content, "Hello, World!");
  EXPECT_TRUE(has_done_nothing());
  gate.open();
  EXPECT_TRUE(has_done({"one", "two"}));
}

TEST_P(After, keeps_what_it_captures_when_the_request_is_long_gone) {
  app.get("/{name}", [this](Request&, std::string name) {
    return Response::text("x").after([this, name = std::move(name)]() -> Task<> {
      co_await gate.pass();
      done.push_back(name);
    });
  });
  {
    TransportClient client = make_client();
    EXPECT_EQ(client.answer_of("/a-name-that-is-long-enough-to-be-on-the-heap").status, 200);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(client.answer_of("/hello").status, 200);
  }
  ASSERT_TRUE(gate.await());
  gate.open();
  EXPECT_TRUE(has_done({"a-name-that-is-long-enough-to-be-on-the-heap"}));
}

TEST_P(After, runs_one_after_the_other_also_when_one_fails) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("tern-after-" + std::string(name_of(GetParam())) + std::to_string(::getpid()));
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
  LogOptions log;
  log.error_file = file;
  serve(1, log);
  EXPECT_EQ(make_client().answer_of("/").content, "x");
  ASSERT_TRUE(gate.await());
  EXPECT_TRUE(has_done_nothing());
  gate.open();
  EXPECT_TRUE(has_done({"first", "second", "middleware"}));
  end_server();
  std::ostringstream logged;
  logged << std::ifstream(file).rdbuf();
  EXPECT_TRUE(logged.str().contains(" error work after a response failed: mail server is down\n")) << logged.str();
  std::filesystem::remove(file);
}

TEST_P(After, is_not_run_for_a_response_that_is_replaced) {
  settings.buffered = 100'000;
  app.get("/large",
          [this] { return Response::text(std::string(300'000, 'x')).after([this] { done.emplace_back("large"); }); });
  app.get("/small", [this] { return Response::text("x").after([this] { done.emplace_back("small"); }); });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/large").status, 503);
  EXPECT_EQ(client.answer_of("/small").status, 200);
  EXPECT_TRUE(has_done({"small"}));
}

TEST_P(After, waits_for_the_end_of_a_stream) {
  app.get("/", [this] { return stream_through_gate("stream"); });
  TransportClient client = make_client();
  client.get("/");
  ASSERT_TRUE(gate.await());
  EXPECT_TRUE(has_done_nothing());
  gate.open();
  EXPECT_EQ(client.answer().content, "xy");
  EXPECT_TRUE(has_done({"stream", "after"}));
}

TEST_P(After, runs_when_a_stream_breaks_off_or_sends_nothing) {
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
  TransportClient broken = make_client();
  EXPECT_TRUE(broken.answer_of("/broken").broken);
  EXPECT_TRUE(has_done({"broken"}));
  TransportClient head = make_client();
  head.ask({.method = "HEAD", .path = "/unread"});
  EXPECT_TRUE(has_done({"broken", "head"}));
}

TEST_P(After, runs_when_the_client_has_gone_before_the_answer) {
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
  for (const Disconnection how : {Disconnection::Cancel, Disconnection::Reset}) {
    for (const char* path : {"/", "/stream"}) {
      TransportClient client = make_client();
      client.get(path);
      EXPECT_TRUE(gate.await());
      go(client, how);
      settle();
      gate.open();
      EXPECT_TRUE(all_ended());
    }
    EXPECT_TRUE(has_done({"after", "after stream"}));
    running().on_loop([this] { done.clear(); });
  }
}

TEST_P(After, runs_when_the_client_goes_in_the_middle_of_a_stream) {
  app.get("/", [this] { return stream_through_gate("never"); });
  TransportClient client = make_client();
  client.get("/");
  ASSERT_TRUE(gate.await());
  client.reset();
  ASSERT_TRUE(all_disconnected());
  gate.open();
  EXPECT_TRUE(has_done({"after"}));
}

TEST_P(After, is_not_stopped_by_the_client) {
  Event event;
  app.get("/", [&] {
    return Response::text("x").after([&]() -> Task<> {
      co_await event;
      const StopToken token = co_await current_stop();
      done.emplace_back(token.stop_requested() ? "stopped" : "not stopped");
    });
  });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/").content, "x");
  client.reset();
  ASSERT_TRUE(all_disconnected());
  running().on_loop([&event] { event.set(); });
  EXPECT_TRUE(has_done({"not stopped"}));
}

TEST_P(After, runs_when_a_handler_that_was_too_late_returns) {
  app.get("/",
          [this]() -> Task<Response> {
            co_await gate.pass();
            co_return Response::text("x").after([this] { done.emplace_back("after"); });
          })
      .limits({.handler_timeout = Milliseconds(30)});
  EXPECT_EQ(make_client().answer_of("/").status, 503);
  EXPECT_TRUE(has_done_nothing());
  gate.open();
  EXPECT_TRUE(has_done({"after"}));
}

TEST_P(After, goes_with_a_response_that_is_replaced) {
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
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/replaced/").content, "other");
  EXPECT_EQ(client.answer_of("/thrown").status, 409);
  EXPECT_EQ(client.answer_of("/refused").status, 500);
  running().drain();
  client.close();
  running().wait();
  EXPECT_TRUE(done.empty());
}

TEST_P(After, is_waited_for_by_the_drain) {
  app.get("/", [this] { return gated("after"); });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/").status, 200);
  ASSERT_TRUE(gate.await());
  running().drain();
  EXPECT_TRUE(client.ends());
  client.close();
  ASSERT_TRUE(all_disconnected());
  gate.open();
  running().wait();
  EXPECT_THAT(done, ElementsAre("after"));
}

TEST_P(After, is_given_up_at_the_end_of_the_drain) {
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
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/").status, 200);
  running().drain(Milliseconds(30));
  running().wait();
  EXPECT_THAT(done, ElementsAre("stopped"));
}

}  // namespace
}  // namespace tern::testing
