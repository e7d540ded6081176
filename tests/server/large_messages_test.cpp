// Large messages that a handler takes as JSON are parsed on the thread pool; meanwhile the loop serves other
// connections.
#include "server/websocket_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern::testing {
namespace {

std::string numbers(std::size_t count) {
  std::string text = "[0";
  for (std::size_t i = 1; i < count; ++i) text += ",0";
  return text + "]";
}

constexpr std::size_t many = 200'000;  // in more than 256 KiB

class LargeMessages : public WebSocketTest {
protected:
  struct Counter {
    void message(WebSocket& socket, Json<std::vector<int>> numbers) {
      ++test.calls;
      socket.send(std::to_string(numbers->size()));
    }
    void close(WebSocket&, std::uint16_t, std::string_view) { ++test.closes; }
    LargeMessages& test;
  };

  void SetUp() override {
    settings.pool_threads = 1;
    settings.pool_queue = 1;
    app.websocket("/", [this] { return Counter{*this}; });
    app.get("/hold", holder.handler());
    app.get("/ping", [] { return "pong"; });
  }
  // From now on, the only thread of the pool does nothing.
  HttpClient hold() {
    HttpClient holding = client();
    holding.get("/hold");
    EXPECT_TRUE(running().eventually([this] { return holder.begun() == 1; }));
    return holding;
  }
  WebSocketClient join() {
    WebSocketClient peer = socket();
    EXPECT_EQ(peer.connect("/").status, 101);
    return peer;
  }

  Holder holder;
  int calls = 0;  // of the loop
  int closes = 0;
};

TEST_F(LargeMessages, are_read_on_the_pool_and_keep_their_order) {
  HttpClient holding = hold();
  WebSocketClient peer = join();
  peer.text(numbers(many));
  peer.text("[1,2]");
  peer.send(websocket::testing::frame(9, "ping"));
  EXPECT_EQ(client().ask("/ping").body, "pong");
  running().on_loop([this] { EXPECT_EQ(calls, 0); });
  holder.let_go();
  EXPECT_EQ(peer.next(), "text " + std::to_string(many));
  EXPECT_EQ(peer.next(), "text 2");
  EXPECT_EQ(peer.next(), "pong ping");
  peer.text(numbers(many));  // once more
  EXPECT_EQ(peer.next(), "text " + std::to_string(many));
}

TEST_F(LargeMessages, what_is_no_such_json_ends_the_websocket) {
  WebSocketClient peer = join();
  peer.text('{' + numbers(many));
  EXPECT_EQ(peer.next(), "close 1007 not what is expected");
}

TEST_F(LargeMessages, a_full_pool_ends_the_websocket) {
  HttpClient holding = hold();
  HttpClient waiting = client();
  waiting.get("/hold");
  ASSERT_TRUE(running().eventually([this] { return running().worker().context().exchanges_in_use() == 2; }));
  WebSocketClient peer = join();
  peer.text(numbers(many));
  EXPECT_EQ(peer.next(), "close 1013 too much to do");
  holder.let_go();
}

TEST_F(LargeMessages, of_a_client_that_has_gone_meanwhile_are_not_handled) {
  HttpClient holding = hold();
  {
    WebSocketClient peer = join();
    peer.text(numbers(many));
    ASSERT_TRUE(running().eventually([this] { return running().worker().loop().outstanding_jobs() == 2; }));
    peer.client().peer().reset();
  }
  ASSERT_TRUE(running().eventually([this] { return closes == 1; }));
  holder.let_go();
  EXPECT_TRUE(no_sessions());
  running().on_loop([this] { EXPECT_EQ(calls, 0); });
}

}  // namespace
}  // namespace tern::testing
