// Clients that go before they are answered, and servers that stop.
#include "transports/transport_test.hpp"

#include <string>
#include <vector>

namespace tern::testing {
namespace {

class Ends : public TransportTest {
protected:
  bool nothing_is_left() {
    return running().eventually([this] {
      return running().worker().context().exchanges_in_use() == 0 &&
             running().worker().context().shared().memory.used() == 0;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Over, Ends, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

constexpr Disconnection ways[] = {Disconnection::Cancel, Disconnection::Reset};

TEST_P(Ends, of_a_client_fire_the_stop_token_at_once) {
  for (const Disconnection how : ways) {
    test_app.stopped = false;
    TransportClient client = make_client();
    client.get("/stopped");
    ASSERT_TRUE(gate.await());
    go(client, how);
    settle();
    ASSERT_TRUE(in_use(1)) << "the handler is let to its end";
    gate.open();
    EXPECT_TRUE(nothing_is_left());
    EXPECT_TRUE(test_app.stopped);
  }
}

TEST_P(Ends, of_a_clients_side_fire_it_too) {
  TransportClient client = make_client();
  client.get("/stopped");
  ASSERT_TRUE(gate.await());
  client.end_side();
  client.await_end();
  ASSERT_TRUE(in_use(1)) << "the handler is let to its end";
  gate.open();
  EXPECT_TRUE(nothing_is_left());
  EXPECT_TRUE(test_app.stopped);
}

// Requests after the waiting one are not read, and neither hide nor delay the end.
TEST_P(Ends, of_a_clients_side_behind_other_requests_fire_it) {
  TransportClient client = make_client();
  client.get("/stopped");
  ASSERT_TRUE(gate.await());
  for (int i = 0; i < 10; ++i) client.get("/hello");
  client.end_side();
  client.await_end();
  gate.open();
  EXPECT_TRUE(nothing_is_left());
  EXPECT_TRUE(test_app.stopped);
}

TEST_P(Ends, of_a_clients_side_stop_an_answer_that_is_being_made) {
  std::atomic<bool> stopped = false;
  app.get("/endless", [&stopped] {
    return Response::stream("text/plain", [&stopped](Writer& writer) -> Task<> {
      co_await writer.write("first");
      try {
        co_await sleep_for(Seconds(3600));
      } catch (const Cancelled&) {
        stopped = true;
        throw;
      }
    });
  });
  TransportClient client = make_client();
  client.get("/endless");
  ASSERT_TRUE(client.receive());
  client.end_side();
  EXPECT_TRUE(nothing_is_left());
  EXPECT_TRUE(stopped);
}

// Over HTTP/2, a client that has ended its side counts as disconnected, regardless of the limits.
TEST_P(Ends, of_a_clients_side_do_not_fire_it_with_half_close) {
  if (over_http2()) return;
  settings.limits.half_close = true;
  TransportClient client = make_client();
  client.get("/stopped");
  ASSERT_TRUE(gate.await());
  client.end_side();
  settle();
  gate.open();
  EXPECT_EQ(client.answer().status, 204);
  client.await_end();
  EXPECT_FALSE(test_app.stopped);
  EXPECT_TRUE(nothing_is_left());
}

TEST_P(Ends, a_route_may_keep_clients_that_have_ended_their_side) {
  if (over_http2()) return;
  app.get("/kept",
          [this]() -> Task<std::string> {
            co_await gate.pass();
            co_return "kept";
          })
      .limits({.half_close = true});
  TransportClient client = make_client();
  client.get("/kept");
  ASSERT_TRUE(gate.await());
  client.end_side();
  settle();
  gate.open();
  EXPECT_EQ(client.answer().content, "kept");
}

TEST_P(Ends, of_a_clients_side_do_not_make_the_loop_spin) {
  settings.limits.half_close = true;
  TransportClient client = make_client();
  client.get("/late/x");
  ASSERT_TRUE(gate.await());
  client.end_side();
  TransportClient other = make_client();
  for (int i = 0; i < 10; ++i) other.answer_of("/hello");
  const auto rounds = running().counters().iterations.value();
  for (int i = 0; i < 10; ++i) other.answer_of("/hello");
  EXPECT_LE(running().counters().iterations.value() - rounds,
            32U);  // over HTTP/2, acknowledgements are frames of their own
  gate.open();
  if (!over_http2()) {
    EXPECT_EQ(client.answer().content, "x");
  }
}

TEST_P(Ends, of_a_client_within_content_that_a_handler_waits_for) {
  for (const Disconnection how : ways) {
    TransportClient client = make_client();
    client.begin("/echo", pattern(100'000), {{"content-length", "1000000"}});
    ASSERT_TRUE(in_use(1));
    go(client, how);
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST_P(Ends, of_a_client_before_a_blocked_handler_reads_its_content) {
  for (const Disconnection how : ways) {
    for (const bool complete : {true, false}) {
      TransportClient client = make_client();
      client.ask({.method = "POST",
                  .path = "/gated/echo",
                  .fields = {{"content-length", "10"}},
                  .content = complete ? "0123456789" : "01234",
                  .end = complete});
      ASSERT_TRUE(gate.await());
      go(client, how);
      settle();
      gate.open();
      EXPECT_TRUE(nothing_is_left());
    }
  }
}

TEST_P(Ends, of_a_client_while_the_answer_is_written) {
  for (const Disconnection how : ways) {
    TransportClient client = this->make_client(4096);
    client.get("/large/20000000");
    ASSERT_TRUE(client.receive());
    go(client, how);
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST_P(Ends, of_a_client_before_a_late_large_answer_is_written) {
  TransportClient client = make_client();
  client.get("/late-large/20000000");
  ASSERT_TRUE(gate.await());
  client.close();  // an end of one side, as far as the server can tell
  gate.open();
  EXPECT_TRUE(all_disconnected());
  EXPECT_TRUE(nothing_is_left());
}

// --- Drain ---

using Drain = TransportTest;
INSTANTIATE_TEST_SUITE_P(Over, Drain, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(Drain, closes_idle_connections_at_once) {
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/hello").status, 200);
  running().drain();
  EXPECT_TRUE(client.ends());
  client.close();
  running().wait();
}

TEST_P(Drain, lets_a_busy_connection_answer_and_says_that_it_closes) {
  TransportClient client = make_client();
  client.get("/late/answer");
  ASSERT_TRUE(gate.await());
  running().drain();
  settle();
  gate.open();
  EXPECT_EQ(client.answer().content, "answer");
  EXPECT_EQ(client.response_so_far().field("connection"), over_http2() ? "" : "close");
  EXPECT_TRUE(client.ends());
  client.close();
  running().wait();
}

TEST_P(Drain, lets_content_arrive) {
  TransportClient client = make_client();
  client.begin("/echo", "01234", {{"content-length", "10"}});
  ASSERT_TRUE(in_use(1));
  running().drain();
  settle();
  client.send("56789", true);
  EXPECT_EQ(client.answer().content, "0123456789");
  EXPECT_TRUE(client.ends());
}

TEST_P(Drain, lets_a_large_answer_be_read_to_its_end) {
  TransportClient client = this->make_client(64 * 1024);
  client.get("/large/5000000");
  ASSERT_TRUE(client.receive());
  running().drain();
  settle();
  EXPECT_TRUE(client.answer().content == pattern(5'000'000));
  EXPECT_TRUE(client.ends());
}

TEST_P(Drain, gives_up_a_handler_that_does_not_end_in_time) {
  TransportClient client = make_client();
  client.get("/stopped");
  ASSERT_TRUE(gate.await());
  running().drain(Milliseconds(50));
  running().wait();
  client.await_end();
  EXPECT_EQ(client.response_so_far().status, 0);
}

TEST_P(Drain, a_later_call_may_shorten_it) {
  TransportClient client = make_client();
  client.get("/late/1");
  ASSERT_TRUE(gate.await());
  running().drain(Seconds(600));
  running().drain(Milliseconds(0));
  running().wait();
  client.await_end();
}

TEST_P(Drain, a_later_call_does_not_lengthen_it) {
  TransportClient client = make_client();
  client.get("/late/1");
  ASSERT_TRUE(gate.await());
  running().drain(Milliseconds(50));
  running().drain(Seconds(600));
  running().wait();
}

TEST_P(Drain, waits_for_a_handler_whose_client_has_gone) {
  TransportClient client = make_client();
  client.get("/stopped");
  ASSERT_TRUE(gate.await());
  client.reset();
  ASSERT_TRUE(all_disconnected());
  running().drain();
  settle();
  gate.open();
  running().wait();
  EXPECT_TRUE(test_app.stopped);
}

TEST_P(Drain, ends_all_loops) {
  serve(3);
  std::vector<TransportClient> callers;
  for (int i = 0; i < 9; ++i) {
    callers.push_back(make_client());
    EXPECT_EQ(callers.back().answer_of("/hello").status, 200);
  }
  running().drain();
  for (TransportClient& each : callers) {
    EXPECT_TRUE(each.ends());
    each.close();
  }
  running().wait();
}

}  // namespace
}  // namespace tern::testing
