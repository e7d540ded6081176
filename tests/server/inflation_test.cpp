// Many messages that are small on the wire and large in memory do not block other connections.
#include "server/websocket_fixture.hpp"
#include "websocket/deflate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

namespace tern::testing {
namespace {

constexpr std::string_view asks_for_deflate = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
constexpr std::size_t bomb_size = 1024 * 1024;

std::string compressed_text(std::string_view payload) {
  std::string deflated;
  websocket::Deflater(15).deflate(payload, deflated);
  return websocket::testing::frame(1, deflated, {.rsv = 0x40});
}

class InflationTest : public WebSocketTest {
protected:
  // The messages of all handlers, in the order of the loop.
  struct Seen {
    std::string who;
    std::uint64_t round;
  };
  struct Recorder {
    void message(WebSocket&, MessageView) { test.record(name); }
    InflationTest& test;
    std::string name;
  };

  void SetUp() override {
    if (!websocket::deflate_available()) GTEST_SKIP() << "built without zlib";
    app.websocket("/{name}", [this](std::string name) { return Recorder{*this, std::move(name)}; },
                  {.compression = Compression::Separate});
    app.get("/ping", [this] {
      record("request");
      return "pong";
    });
  }
  void record(const std::string& who) { seen.push_back({who, running().counters().iterations.value()}); }
  WebSocketClient join(const std::string& name) {
    WebSocketClient peer = socket();
    EXPECT_EQ(peer.connect("/" + name, asks_for_deflate).status, 101);
    return peer;
  }
  // Everything that `send` sends is there when the loop looks at it.
  template <class F>
  void at_once(F send) {
    const auto blocked = std::make_shared<std::binary_semaphore>(0);
    const auto released = std::make_shared<std::binary_semaphore>(0);
    running().worker().loop().post([blocked, released] {
      blocked->release();
      released->acquire();
    });
    blocked->acquire();
    send();
    released->release();
  }
  bool all_seen(std::size_t count) {
    return running().eventually([this, count] { return seen.size() >= count; });
  }
  std::size_t place_of(std::string_view who) const {
    const auto found = std::ranges::find(seen, who, &Seen::who);
    return static_cast<std::size_t>(found - seen.begin());
  }

  std::vector<Seen> seen;  // of the loop
};

TEST_F(InflationTest, others_do_not_wait_for_bombs) {
  const std::string bomb = compressed_text(std::string(bomb_size, 'x'));
  std::vector<WebSocketClient> heavy;
  for (int i = 0; i < 6; ++i) heavy.push_back(join("heavy" + std::to_string(i)));
  WebSocketClient light = join("light");
  HttpClient other = client();
  at_once([&] {
    for (WebSocketClient& one : heavy) {
      for (int i = 0; i < 10; ++i) one.send(bomb);
    }
    light.send(compressed_text(std::string(1000, 'y')));
    other.get("/ping");
  });
  ASSERT_TRUE(all_seen(62));
  running().on_loop([this] {
    EXPECT_LE(place_of("light"), 6U);  // no heavy one has had a second turn
    EXPECT_LE(place_of("request"), 6U);
    std::map<std::uint64_t, std::size_t> per_round;
    for (const Seen& one : seen) ++per_round[one.round];
    for (const auto& [round, count] : per_round) EXPECT_LE(count, 6U) << round;
    // They take turns: none is done long before the others.
    for (int i = 0; i < 6; ++i) EXPECT_LE(place_of("heavy" + std::to_string(i)), 14U) << i;
  });
  EXPECT_EQ(other.answer().body, "pong");
}

TEST_F(InflationTest, what_was_received_behind_a_bomb_follows_it) {
  WebSocketClient peer = join("one");
  std::string bytes;
  for (int i = 0; i < 3; ++i) {
    bytes += compressed_text(std::string(bomb_size, 'x')) + websocket::testing::text("plain") +
             websocket::testing::frame(9, std::to_string(i));
  }
  peer.send(bytes + websocket::testing::close(1000));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(peer.next(), "pong " + std::to_string(i));
  EXPECT_EQ(peer.next(), "close 1000");
  running().on_loop([this] { EXPECT_EQ(seen.size(), 6U); });
  EXPECT_TRUE(no_sessions());
}

TEST_F(InflationTest, a_client_may_go_while_its_message_is_inflated) {
  const std::string bomb = compressed_text(std::string(bomb_size, 'x'));
  WebSocketClient stays = join("stays");
  {
    std::vector<WebSocketClient> gone;
    for (int i = 0; i < 20; ++i) gone.push_back(join("gone"));
    at_once([&] {
      for (WebSocketClient& one : gone) one.send(bomb + bomb);
      for (WebSocketClient& one : gone) one.client().peer().reset();
    });
  }
  stays.send(bomb + websocket::testing::close(1000));
  EXPECT_EQ(stays.next(), "close 1000");
  EXPECT_TRUE(no_sessions());
}

}  // namespace
}  // namespace tern::testing
