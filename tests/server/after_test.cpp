// Work after the response, as HTTP/1.1 sends one. (More, for every protocol, is in tests/transports.)
#include "server/app_test.hpp"

#include <tern/base/block_pool.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::ElementsAre;

class After : public AppTest {
protected:
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
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("/plain").body, "x");
  EXPECT_EQ(client.ask("/late").body, "x");
  ASSERT_TRUE(running().eventually([&] { return sent.size() == 2; }));
  EXPECT_THAT(sent, ElementsAre(1U, 2U));
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
  RunningServer& server = running();
  HttpClient client = this->client();
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
  HttpClient client = this->client();
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
