// WebSockets as HTTP/1.1 begins them. (More, for every protocol, is in tests/transports.)
#include "server/websocket_fixture.hpp"

#include <tern/async.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::testing {
namespace {

using websocket::testing::close;
using websocket::testing::text;

TEST_F(WebSocketTest, frames_may_come_with_the_handshake_and_byte_by_byte) {
  app.websocket("/", echo);
  WebSocketClient peer = socket();
  peer.send("GET / HTTP/1.1\r\nHost: test\r\n" + std::string(handshake_fields) + "\r\n" + text("early") + text("bird"));
  EXPECT_EQ(peer.client().answer().status, 101);
  EXPECT_EQ(peer.next(), "text early");
  EXPECT_EQ(peer.next(), "text bird");
  peer.client().send_bytewise(text("slow") + close(1001));
  EXPECT_EQ(peer.next(), "text slow");
  EXPECT_EQ(peer.next(), "close 1001");
}

TEST_F(WebSocketTest, what_is_no_handshake_is_answered_and_the_connection_goes_on) {
  app.websocket("/", echo);
  app.get("/plain", [] { return "plain"; });
  HttpClient peer = client();
  HttpAnswer answer = peer.ask("/");
  EXPECT_EQ(answer.status, 426);
  EXPECT_EQ(answer.field("upgrade"), "websocket");
  EXPECT_EQ(answer.field("connection"), "Upgrade");
  EXPECT_EQ(answer.field("sec-websocket-version"), "13");
  peer.get("/", std::string(handshake_fields) + "Origin: http://evil.example\r\n");
  EXPECT_EQ(peer.answer().status, 403);
  peer.get("/", "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n");
  EXPECT_EQ(peer.answer().status, 400);
  peer.send("GET / HTTP/1.1\r\nHost: test\r\n" + std::string(handshake_fields) + "Content-Length: 5\r\n\r\n");
  EXPECT_EQ(peer.answer().status, 400);
  peer.send("hello");
  EXPECT_EQ(peer.ask("/plain").body, "plain");
  EXPECT_TRUE(no_sessions());
}

TEST_F(WebSocketTest, a_burst_of_messages_leaves_in_one_send) {
  app.websocket("/", [](WebSocket socket) -> Task<> {
    while (co_await socket.receive()) {
      for (int i = 0; i < 100; ++i) socket.send(std::to_string(i));
    }
  });
  WebSocketClient peer = socket();
  peer.connect("/");
  const auto before = sends();
  peer.text("go");
  for (int i = 0; i < 100; ++i) ASSERT_EQ(peer.next(), "text " + std::to_string(i));
  EXPECT_EQ(sends(), before + 1);
}

TEST_F(WebSocketTest, window_bits_that_are_impossible_are_a_mistake_of_the_setup) {
  for (const int bits : {8, 16}) {
    App other;
    other.websocket("/", echo, {.compression = Compression::Separate, .window_bits = bits});
    EXPECT_THROW(other.service(), SetupError);
  }
}

TEST_F(WebSocketTest, a_handshake_has_no_content) {
  app.websocket("/", echo);
  HttpClient client = this->client();
  client.send("GET / HTTP/1.1\r\nHost: test\r\n" + std::string(handshake_fields) + "Content-Length: 5\r\n\r\nhello");
  EXPECT_EQ(client.answer().status, 400);
}

}  // namespace
}  // namespace tern::testing
