// Answers that are larger than what the peer reads at once: bounded memory, the right bytes.
#include "server/desk.hpp"

#include <fcntl.h>

namespace tern::testing {
namespace {

using Outputs = DeskTest;

TEST_F(Outputs, large_answers_arrive_complete) {
  Client client = this->client();
  for (const std::size_t size : {16'383UL, 16'384UL, 16'385UL, 262'144UL, 1'000'000UL, 10'000'000UL}) {
    EXPECT_TRUE(client.ask("/large/" + std::to_string(size)).body == pattern(size)) << size;
  }
}

TEST_F(Outputs, large_answers_arrive_complete_at_a_slow_reader) {
  Client client = this->client(64 * 1024);
  client.get("/large/10000000");
  client.get("/hello");
  std::string received;
  while (received.size() < 200'000) received += client.receive_some(1000);
  const std::string expected = pattern(10'000'000);
  const std::size_t head = received.find("\r\n\r\n") + 4;
  EXPECT_EQ(received.substr(head), expected.substr(0, received.size() - head));
  EXPECT_EQ(client.take(expected.size() - (received.size() - head)), expected.substr(received.size() - head));
  EXPECT_EQ(client.answer().body, "Hello, World!");
}

TEST_F(Outputs, late_large_answers_arrive_complete) {
  Client client = this->client(64 * 1024);
  client.get("/late-large/10000000");
  client.get("/user/2");
  ASSERT_TRUE(desk.gate.await());
  desk.gate.open();
  EXPECT_TRUE(client.answer().body == pattern(10'000'000));
  EXPECT_EQ(client.answer().body, "2");
}

// While a client does not read, its next requests are not even begun.
TEST_F(Outputs, a_pipeline_of_large_answers_waits_for_the_reader) {
  std::atomic<int> served = 0;
  desk.app.get("/counted", [&served] {
    ++served;
    return pattern(1'000'000);
  });
  Client client = this->client(64 * 1024);
  for (int i = 0; i < 50; ++i) client.get("/counted");
  ASSERT_TRUE(running().eventually([&] { return served > 0; }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(running().client().ask("/hello").status, 200);
  EXPECT_LE(served, 10);  // what the kernel's buffers take, and one
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client.answer().body.size(), 1'000'000U);
  EXPECT_EQ(served, 50);
}

TEST_F(Outputs, a_pipeline_of_small_answers_waits_for_the_reader) {
  Client client = this->client(64 * 1024);
  // (Large requests, because the kernel keeps megabytes of them.)
  const std::string request = "GET /large/2000 HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x') + "\r\n\r\n";
  std::string batch;
  for (int i = 0; i < 100; ++i) batch += request;
  // The client sends until nobody takes it any more: the server has stopped reading, instead of collecting answers.
  const int flags = ::fcntl(client.peer().number(), F_GETFL);
  ::fcntl(client.peer().number(), F_SETFL, flags | O_NONBLOCK);
  std::size_t bytes = 0;
  std::size_t stalled = 0;
  while (stalled < 20 && bytes < 100'000'000) {
    const ssize_t sent = ::send(client.peer().number(), batch.data() + bytes % request.size(),
                                batch.size() - bytes % request.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes += static_cast<std::size_t>(sent);
      stalled = 0;
    } else {
      pollfd ready{.fd = client.peer().number(), .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, 10);
      ++stalled;
    }
  }
  EXPECT_LT(bytes, 100'000'000U);
  ::fcntl(client.peer().number(), F_SETFL, flags);
  for (std::size_t i = 0; i < bytes / request.size(); ++i) ASSERT_EQ(client.answer().body.size(), 2000U) << i;
}

// The answer of one exchange may be written while another connection's bytes are being handled.
TEST_F(Outputs, an_answer_that_another_handler_releases_goes_to_its_own_client) {
  desk.app.get("/release", [this] {
    desk.gate.open_here();
    return "released";
  });
  Client waiting = client();
  waiting.get("/late/mine");
  ASSERT_TRUE(desk.gate.await());
  Client other = client();
  other.send(
      "GET /user/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /release HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /user/3 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(other.answer().body, "1");
  EXPECT_EQ(other.answer().body, "released");
  EXPECT_EQ(other.answer().body, "3");
  EXPECT_EQ(waiting.answer().body, "mine");
  EXPECT_EQ(waiting.ask("/hello").status, 200);
}

TEST_F(Outputs, nothing_follows_a_head_request_or_a_status_without_content) {
  desk.app.get("/204", [] { return Response(Status::NoContent).content("must not be sent"); });
  desk.app.get("/304", [] { return Response(Status::NotModified).content(pattern(100'000)); });
  Client client = this->client();
  EXPECT_EQ(client.ask("/204").status, 204);
  EXPECT_EQ(client.ask("/304").status, 304);
  EXPECT_EQ(client.ask("/hello").body, "Hello, World!");
}

TEST_F(Outputs, a_status_that_is_no_final_one_becomes_500) {
  desk.app.get("/100", [] { return Response(Status::Continue); });
  desk.app.get("/999", [] { return Response(static_cast<Status>(999)); });
  Client client = this->client();
  EXPECT_EQ(client.ask("/100").status, 500);
  EXPECT_EQ(client.ask("/999").status, 500);
}

TEST_F(Outputs, the_handler_may_end_the_connection) {
  desk.app.get("/last", [] { return Response::text("last").close(); });
  Client client = this->client();
  const Answer answer = client.ask("/last");
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace tern::testing
