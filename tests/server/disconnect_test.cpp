// Peers that disconnect at every moment. No resources leak, and other connections are not affected.
#include "server/test_app.hpp"

#include <thread>

namespace tern::testing {
namespace {

class Disconnects : public TestAppTest {
protected:
  bool nothing_is_left() {
    return running().eventually([this] {
      return running().worker().loop().streams() == 0 && running().worker().context().exchanges_in_use() == 0 &&
             running().worker().context().shared().connections == 0 &&
             running().worker().context().shared().memory.used() == 0;
    });
  }
};

enum class Way { Close, Reset, Shutdown };

TEST_F(Disconnects, after_every_byte_of_a_request_leave_nothing_behind) {
  const std::string request =
      "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n"
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
  for (const Way way : {Way::Close, Way::Reset, Way::Shutdown}) {
    for (std::size_t size = 0; size < request.size(); ++size) {
      HttpClient client = this->client();
      client.send(request.substr(0, size));
      if (way == Way::Close) client.peer().close();
      if (way == Way::Reset) client.peer().reset();
      if (way == Way::Shutdown) {
        client.peer().shutdown_write();
        EXPECT_TRUE(client.is_gone());
      }
    }
    EXPECT_TRUE(nothing_is_left());
  }
  EXPECT_EQ(client().ask("/hello").status, 200);
}

TEST_F(Disconnects, with_a_pipeline_behind_a_pending_answer) {
  HttpClient client = this->client();
  for (int i = 0; i < 10; ++i) client.get("/late/x");
  ASSERT_TRUE(test_app.gate.await());
  client.peer().reset();
  ASSERT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  test_app.gate.open();
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Disconnects, right_after_the_refusal_end_the_lingering) {
  HttpClient client = this->client();
  client.send("BAD\r\n\r\n");
  EXPECT_EQ(client.answer().status, 400);
  client.peer().close();
  // Well within the two seconds that the server would linger.
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(nothing_is_left());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(1500));
}

TEST_F(Disconnects, many_of_every_kind_at_once) {
  serve({.head_timeout = Milliseconds(50), .grace = Milliseconds(50)}, 2);
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    threads.emplace_back([this, seed] {
      unsigned random = seed;
      const auto next = [&random](unsigned below) {
        random = random * 1664525 + 1013904223;
        return (random >> 16U) % below;
      };
      for (int i = 0; i < 200; ++i) {
        HttpClient client = this->client(next(4) == 0 ? 4096 : 0);
        const std::string requests[] = {
            "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n", "GET /large/300000 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /late/x HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + pattern(100'000),
            "POST /unread HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"};
        std::string batch;
        for (unsigned count = 1 + next(4); count != 0; --count) batch += requests[next(5)];
        client.send(std::string_view(batch).substr(0, next(2) == 0 ? batch.size() : next(unsigned(batch.size()))));
        if (next(3) == 0) test_app.gate.open();
        if (next(2) == 0) client.peer().shutdown_write();
        if (next(3) == 0) client.receive_some(next(2) == 0 ? 100 : 100'000);
        if (next(2) == 0) client.peer().reset();
      }
    });
  }
  std::atomic<bool> ended = false;
  std::thread opener([&] {
    while (!ended) {
      test_app.gate.open();
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads) thread.join();
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  client.peer().close();
  for (const std::size_t loop : {0U, 1U}) {
    EXPECT_TRUE(running().eventually(
        [&] {
          return running().worker(loop).loop().streams() == 0 &&
                 running().worker(loop).context().exchanges_in_use() == 0;
        },
        loop));
  }
  ended = true;
  opener.join();
  EXPECT_EQ(running().worker().context().shared().connections, 0U);
  EXPECT_EQ(running().worker().context().shared().memory.used(), 0U);
}

}  // namespace
}  // namespace tern::testing
