// Responses over HTTP/1.1: larger than the peer reads at once, pipelined, chunked.
#include "server/app_test.hpp"
#include "server/test_app.hpp"

#include <fcntl.h>

namespace tern::testing {
namespace {

using Outputs = TestAppTest;

TEST_F(Outputs, large_answers_arrive_complete_at_a_slow_reader) {
  HttpClient client = this->client(64 * 1024);
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

// While a client does not read, its next requests are not even begun.
TEST_F(Outputs, a_pipeline_of_large_answers_waits_for_the_reader) {
  std::atomic<int> served = 0;
  test_app.app.get("/counted", [&served] {
    ++served;
    return pattern(1'000'000);
  });
  HttpClient client = this->client(64 * 1024);
  for (int i = 0; i < 50; ++i) client.get("/counted");
  ASSERT_TRUE(running().eventually([&] { return served > 0; }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(running().client().ask("/hello").status, 200);
  EXPECT_LE(served, 10);  // what the kernel's buffers take, and one
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client.answer().body.size(), 1'000'000U);
  EXPECT_EQ(served, 50);
}

TEST_F(Outputs, a_pipeline_of_small_answers_waits_for_the_reader) {
  HttpClient client = this->client(64 * 1024);
  // (Large requests, because the kernel keeps megabytes of them.)
  const std::string request = "GET /large/2000 HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x') + "\r\n\r\n";
  std::string batch;
  for (int i = 0; i < 100; ++i) batch += request;
  // The client sends until the kernel's buffers are full: the server has stopped reading, instead of collecting
  // answers.
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

TEST_F(Outputs, the_handler_may_end_the_connection) {
  test_app.app.get("/last", [] { return Response::text("last").close(); });
  HttpClient client = this->client();
  const HttpAnswer answer = client.ask("/last");
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
}

// --- Streams ---

using Streams = AppTest;

TEST_F(Streams, pieces_of_one_round_leave_together) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      for (int i = 0; i < 100; ++i) co_await writer.write("x");
    });
  });
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("/").body, std::string(100, 'x'));
  EXPECT_LE(running().counters().sends.value(), 3U);
}

TEST_F(Streams, a_pipeline_goes_on_behind_a_stream) {
  app.get("/stream", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("a");
      co_await sleep_for(Milliseconds(1));
      co_await writer.write("b");
    });
  });
  app.get("/plain", [] { return "plain"; });
  HttpClient client = this->client();
  for (int i = 0; i < 3; ++i) {
    client.get("/stream");
    client.get("/plain");
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.answer().body, "ab");
    EXPECT_EQ(client.answer().body, "plain");
  }
}

TEST_F(Streams, http_1_0_gets_the_content_until_the_close) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> { co_await writer.write("old"); });
  });
  HttpClient client = this->client();
  client.send("GET / HTTP/1.0\r\n\r\n");
  const std::string all = client.rest();
  EXPECT_TRUE(all.ends_with("\r\n\r\nold")) << all;
  EXPECT_EQ(all.find("Transfer-Encoding"), all.npos);
}

TEST_F(Streams, trailers_follow_the_last_chunk) {
  app.get("/", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> {
      co_await writer.write("x");
      writer.trailers().set("x-sum", "1");
    });
  });
  HttpClient client = this->client();
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.rest().ends_with("\r\n1\r\nx\r\n0\r\nx-sum: 1\r\n\r\n"));
}

}  // namespace
}  // namespace tern::testing
