// Timeouts. Every timeout is tiny, and the tests await its effect.
#include "server/test_app.hpp"

namespace tern::testing {
namespace {

using Timeouts = TestAppTest;

constexpr Milliseconds soon{60};

TEST_F(Timeouts, half_a_head_is_answered_408) {
  serve({.head_timeout = soon});
  HttpClient client = this->client();
  client.send("GET /hello HTTP/1.1\r\nHo");
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
}

TEST_F(Timeouts, a_head_that_trickles_has_no_more_time) {
  serve({.head_timeout = soon});
  HttpClient client = this->client();
  client.send("GET /hello HTTP/1.1\r\nX: ");
  int bytes = 0;
  while (!client.readable_within(5) && bytes < 10'000) {
    client.send("x");
    ++bytes;
  }
  EXPECT_LT(bytes, 10'000);
  EXPECT_EQ(client.answer().status, 408);
}

TEST_F(Timeouts, the_head_of_the_second_request_has_the_same_time) {
  serve({.head_timeout = soon});
  HttpClient client = this->client();
  client.get("/hello");
  EXPECT_EQ(client.answer().status, 200);
  client.send("GET /he");
  EXPECT_EQ(client.answer().status, 408);
  EXPECT_TRUE(client.ends());
}

// Each request's time begins anew, also when the server never sees a moment without half a head.
TEST_F(Timeouts, overlapping_requests_are_no_slow_head) {
  serve({.head_timeout = Milliseconds(400)});
  HttpClient client = this->client();
  const std::string request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(request + request.substr(0, 10));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1000);
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_EQ(client.answer().status, 200);
    client.readable_within(20);  // a slow client, not an idle one
    client.send(request.substr(10) + request.substr(0, 10));
  }
  EXPECT_EQ(client.answer().status, 200);
}

TEST_F(Timeouts, unwanted_content_has_the_time_of_a_head) {
  serve({.head_timeout = soon});
  HttpClient client = this->client();
  client.send("POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_TRUE(client.ends());
}

TEST_F(Timeouts, a_client_that_does_not_read_its_last_answer_is_let_go) {
  serve({.grace = soon});
  HttpClient client = this->client(4096);
  client.get("/large/30000000", "Connection: close\r\n");
  EXPECT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
}

TEST_F(Timeouts, a_client_that_reads_slowly_but_steadily_gets_everything) {
  serve({.grace = Milliseconds(500), .min_data_rate = 1000});
  HttpClient client = this->client(256 * 1024);
  client.get("/large/8000000", "Connection: close\r\n");
  pollfd never{.fd = -1, .events = 0, .revents = 0};
  std::string received;
  while (true) {
    const std::string some = client.receive_some(received.size() < 4'000'000 ? 16'384 : 1'000'000);
    if (some.empty()) break;
    received += some;
    if (received.size() < 4'000'000) ::poll(&never, 1, 5);
  }
  EXPECT_EQ(client.peer().error(), 0);
  EXPECT_TRUE(received.ends_with(pattern(8'000'000)));
}

TEST_F(Timeouts, a_client_that_stays_after_the_last_answer_is_let_go) {
  HttpClient client = this->client();
  client.send("BAD\r\n\r\n");
  EXPECT_EQ(client.answer().status, 400);
  EXPECT_TRUE(client.ends());  // our side; the other one stays open
  EXPECT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
}

}  // namespace
}  // namespace tern::testing
