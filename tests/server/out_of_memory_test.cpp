// Failed allocations of large blocks.
#include "server/memory_shortage.hpp"
#include "server/websocket_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::testing {
namespace {

class OutOfMemory : public WebSocketTest {
protected:
  OutOfMemory() {
    exempt_this_thread();
    settings.buffered = 16'000'000;  // little enough that no loop keeps room for what is large here
    app.post("/echo", [](Body body) { return body; });
    app.post("/later", [](BodyStream body) -> Task<std::string> {
      std::string all;
      while (const auto piece = co_await body.next()) all += *piece;
      co_return all;
    });
    app.websocket("/object", [] { return Echo{}; }, {.max_message = 8'000'000});
    app.websocket("/coroutine", echo, {.max_message = 8'000'000});
  }
  ~OutOfMemory() override { refuse_nothing(); }

  static std::string all_of(HttpClient& client) {
    std::string all;
    for (std::string more; !(more = client.receive_some()).empty();) all += more;
    return all;
  }
};

constexpr std::size_t large = 4'000'000;

TEST_F(OutOfMemory, large_content_is_refused_and_the_server_goes_on) {
  const std::string body(large, 'x');
  for (const std::size_t limit : {100'000UL, 300'000UL, 1'000'000UL, large}) {
    for (const char* path : {"/echo", "/later"}) {
      HttpClient client = this->client();
      client.post(path, "first");
      EXPECT_EQ(client.answer().body, "first");
      refuse(limit);
      client.post(path, body);
      // The string that /later makes of it is its own affair.
      EXPECT_EQ(client.answer().status, path == std::string("/echo") ? 503 : 500) << path << ' ' << limit;
      HttpClient other = this->client();
      other.post(path, "small");
      EXPECT_EQ(other.answer().body, "small");
      refuse_nothing();
      other.post(path, body);
      EXPECT_TRUE(other.answer().body == body);
    }
  }
  EXPECT_TRUE(all_ended());
}

TEST_F(OutOfMemory, a_large_message_ends_its_websocket_and_the_others_go_on) {
  for (const std::size_t size : {200'000UL, large}) {
    const std::string payload(size, 'x');
    const std::string message = websocket::testing::text(payload);
    std::string echoed;
    websocket::append_frame(echoed, websocket::Opcode::Text, payload);
    for (const std::size_t limit : {100'000UL, 300'000UL, 1'000'000UL, large}) {
      for (const char* path : {"/object", "/coroutine"}) {
        WebSocketClient other = socket();
        other.connect(path);
        WebSocketClient peer = socket(64 * 1024);
        peer.connect(path);
        refuse(limit);
        peer.send(message + websocket::testing::close(1000));
        // The echo, or as much of it as went before memory was short; never anything within it.
        const std::string all = all_of(peer.client());
        const bool whole = all.starts_with(echoed) && all.size() <= echoed.size() + 4;
        EXPECT_TRUE(whole || echoed.starts_with(all) || websocket::testing::read_frames(all) == "close 1011\n")
            << path << ' ' << size << ' ' << limit << ' ' << all.size();
        other.text("small");
        EXPECT_EQ(other.next(), "text small");
        refuse_nothing();
        other.send(message);
        EXPECT_EQ(other.next(), "text (" + std::to_string(size) + ")");
      }
    }
  }
  EXPECT_TRUE(no_sessions());
}

// Echoes from where it lies, which takes no memory of the message's size, while this thread has next to none.
struct ShortEcho {
  void message(WebSocket& socket, MessageView message) {
    const OutOfMemoryScope shortage(50);
    socket.send(message);
  }
};

TEST_F(OutOfMemory, leaves_no_head_without_its_payload) {
  app.websocket("/short", [] { return ShortEcho{}; });
  WebSocketClient peer = socket();
  peer.connect("/short");
  peer.send(websocket::testing::text(std::string(20'000, 'x')));
  EXPECT_EQ(peer.next(), "close 1011");
}

TEST_F(OutOfMemory, what_cannot_wait_until_it_is_read_ends_its_connection) {
  WebSocketClient other = socket();
  other.connect("/object");
  WebSocketClient peer = socket(64 * 1024);
  peer.connect("/object");
  const std::string message = websocket::testing::text(std::string(200'000, 'x'));
  refuse(100'000);
  bool sends = true;
  for (int i = 0; i < 100 && sends; ++i) sends = peer.send(message);  // more than any kernel takes
  EXPECT_FALSE(sends);
  other.text("small");
  EXPECT_EQ(other.next(), "text small");
}

}  // namespace
}  // namespace tern::testing
