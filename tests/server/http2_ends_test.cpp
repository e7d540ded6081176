// HTTP/2: ends of streams and connections, and rejected input.
#include "server/http2_client.hpp"

#include "server/app_test.hpp"

#include <tern/async.hpp>
#include <tern/http/event_stream.hpp>

#include <stdexcept>
#include <string>

namespace tern::testing {
namespace {

class Http2Ends : public AppTest {
protected:
  Http2Client client() { return Http2Client(running().port()); }
};

TEST_F(Http2Ends, events_end_with_the_side_of_their_client_and_so_does_the_connection) {
  app.get("/now", [] {
    return event_stream([](EventStream& events) -> Task<> {
      co_await events.send("first");
      while (true) co_await sleep_for(Seconds(3600));
    });
  });
  app.get("/late", [this]() -> Task<Response> {
    co_await gate.pass();
    co_return event_stream([](EventStream& events) -> Task<> {
      co_await events.send("first");
      while (true) co_await sleep_for(Seconds(3600));
    });
  });
  Http2Client client = this->client();
  const auto now = client.get("/now");
  const auto late = client.get("/late");
  ASSERT_TRUE(client.until([&] { return client.http2().at(now).content == "data: first\n\n"; }));
  ASSERT_TRUE(gate.await(1));
  client.peer().shutdown_write();
  ASSERT_TRUE(client.until([&] { return client.http2().at(now).closed; }));
  gate.open();
  client.until([] { return false; });
  EXPECT_TRUE(client.http2().at(late).closed);
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2Ends, an_answer_with_a_large_head_comes_and_one_with_a_huge_head_is_given_up) {
  app.get("/{size}", [](std::size_t size) { return Response::text("x").set("X-Large", std::string(size, 'x')); });
  Http2Client client = this->client();
  EXPECT_EQ(client.ask("/70000").field("x-large").size(), 70'000U);
  const auto huge = client.get("/3000000");
  client.answer(huge);
  EXPECT_EQ(client.http2().at(huge).error, std::uint32_t{NGHTTP2_INTERNAL_ERROR});
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(client.ask("/1").status, 200);
}

TEST_F(Http2Ends, an_end_that_finds_no_window_is_not_waited_for_for_ever) {
  settings.grace = Milliseconds(50);
  app.get("/", [] { return Response::stream("text/plain", [](Writer&) -> Task<> { co_return; }); });
  Http2Client client(running().port(), 0);
  const auto id = client.get("/");
  EXPECT_TRUE(client.until([&] { return client.http2().at(id).closed; }));
  EXPECT_EQ(client.http2().at(id).error, std::uint32_t{NGHTTP2_CANCEL});
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2Ends, producers_that_fail_are_not_held_against_the_client) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("begun");
      throw std::runtime_error("no more");
    });
  });
  app.get("/good", [] { return "good"; });
  Http2Client client = this->client();
  for (int i = 0; i < 300; ++i) {
    const auto id = client.get("/");
    client.answer(id);
    ASSERT_EQ(client.http2().at(id).error, std::uint32_t{NGHTTP2_INTERNAL_ERROR}) << i;
  }
  EXPECT_EQ(client.ask("/good").content, "good");
}

}  // namespace
}  // namespace tern::testing
