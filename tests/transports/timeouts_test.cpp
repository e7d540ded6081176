// Timeouts. Every timeout is tiny, and the tests await its effect.
#include "transports/transport_test.hpp"

#include <string>

namespace tern::testing {
namespace {

using Timeouts = TransportTest;
INSTANTIATE_TEST_SUITE_P(Over, Timeouts, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

constexpr Milliseconds soon{60};

TEST_P(Timeouts, a_client_that_says_nothing_is_closed) {
  settings.head_timeout = settings.idle_timeout = soon;
  TransportClient client = make_client();
  client.await_end();
  EXPECT_EQ(client.response_so_far().status, 0);
}

TEST_P(Timeouts, an_idle_connection_is_closed_in_good_order) {
  settings.idle_timeout = soon;
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/hello").status, 200);
  EXPECT_TRUE(client.ends());
}

// Two periods and a half pass by requests that are a third of one apart.
TEST_P(Timeouts, a_connection_that_is_used_is_not_idle) {
  settings.idle_timeout = Milliseconds(150);
  TransportClient client = make_client();
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(client.answer_of("/hello").status, 200) << i;
    settle();
    client.take_ready();
    ASSERT_FALSE(client.readable_within(50)) << i;
  }
}

TEST_P(Timeouts, none_runs_while_the_handler_works) {
  settings.head_timeout = settings.idle_timeout = settings.grace = soon;
  TransportClient client = make_client();
  client.get("/late/answer");
  ASSERT_TRUE(gate.await());
  TransportClient other = make_client();
  other.await_end();  // its time is over by now, and so would be the first one's
  gate.open();
  EXPECT_EQ(client.answer().content, "answer");
  EXPECT_TRUE(client.ends());
}

TEST_P(Timeouts, content_that_stops_is_answered_408) {
  settings.grace = soon;
  TransportClient client = make_client();
  client.begin("/echo", "01234", {{"content-length", "10"}});
  EXPECT_EQ(client.answer().status, 408);
  EXPECT_TRUE(all_ended());
}

TEST_P(Timeouts, content_that_trickles_below_the_minimum_data_rate_is_answered_408) {
  settings.grace = Milliseconds(100);
  settings.min_data_rate = 2000;
  TransportClient client = make_client();
  client.begin("/echo", {}, {{"content-length", "100000"}});
  for (int bytes = 0; client.response_so_far().status == 0 && bytes < 10'000; ++bytes) {
    client.send("x");
    client.readable_within(5);
    client.take_ready();
  }
  EXPECT_EQ(client.answer().status, 408);
}

TEST_P(Timeouts, content_at_the_minimum_data_rate_is_accepted) {
  settings.grace = Milliseconds(100);
  settings.min_data_rate = 10;
  TransportClient client = make_client();
  client.begin("/size", {}, {{"content-length", "300"}});
  for (int i = 0; i < 60; ++i) {
    client.readable_within(5);
    client.take_ready();
    ASSERT_EQ(client.response_so_far().status, 0);
    client.send("xxxxx", i == 59);
  }
  EXPECT_EQ(client.answer().content, "300");
}

TEST_P(Timeouts, an_answer_that_is_not_read_is_given_up) {
  settings.grace = soon;
  TransportClient client = this->make_client(4096);
  client.get("/large/20000000");
  ASSERT_TRUE(client.until([](const ClientResponse& response) { return response.status == 200; }));
  EXPECT_TRUE(over_http2() ? all_ended() : all_disconnected());
  EXPECT_FALSE(client.answer().complete);
}

}  // namespace
}  // namespace tern::testing
