// WebSockets of an app, over sockets.
#include "server/websocket_fixture.hpp"

#include <tern/async.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::testing {
namespace {

using websocket::testing::close;
using websocket::testing::fragments;
using websocket::testing::frame;
using websocket::testing::text;

TEST_F(WebSocketTest, both_styles_echo_every_kind_of_message) {
  app.websocket("/coroutine", echo);
  app.websocket("/object", [] { return Echo{}; });
  for (const char* path : {"/coroutine", "/object"}) {
    WebSocketClient peer = socket();
    const Answer answer = peer.connect(path);
    EXPECT_EQ(answer.status, 101);
    EXPECT_EQ(answer.field("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    peer.text("hello");
    EXPECT_EQ(peer.next(), "text hello");
    peer.binary(std::string("\0\xFF", 2));
    EXPECT_EQ(peer.next(), "binary " + std::string("\0\xFF", 2));
    peer.text("");
    EXPECT_EQ(peer.next(), "text ");
    const std::string big(300'000, 'x');
    peer.send(fragments(1, big, 10'000));
    EXPECT_EQ(peer.next(), "text (300000)");
    EXPECT_EQ(peer.payload(), big);
    peer.send(frame(9, "are you there"));
    EXPECT_EQ(peer.next(), "pong are you there");
    peer.send(close(1000, "bye"));
    EXPECT_EQ(peer.next(), "close 1000");
    EXPECT_TRUE(peer.client().ends());
  }
  EXPECT_TRUE(no_sessions());
  EXPECT_TRUE(all_ended());
}

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
  Client peer = client();
  Answer answer = peer.ask("/");
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

struct User {
  std::string name;
};

TEST_F(WebSocketTest, middleware_and_parameters_answer_before_the_upgrade) {
  app.use([](Request& request, Next next) -> Reply {
    const auto name = request.field("X-User");
    if (!name) return Response(Status::Unauthorized);
    request.put(User{std::string(*name)});
    return std::move(next)().then([](Response response) { return std::move(response).set("X-Seen", "yes"); });
  });
  app.websocket("/room/{number}", [](WebSocket socket, int number, Request& request, Query<User> query) -> Task<> {
    co_await yield();  // what it looks at stays
    co_await socket.send(request.find<User>()->name + '/' + std::to_string(number) + '/' + query->name);
  });
  WebSocketClient peer = socket();
  EXPECT_EQ(peer.connect("/room/7?name=q").status, 401);
  EXPECT_EQ(peer.connect("/room/x?name=q", "X-User: ann\r\n").status, 404);
  EXPECT_EQ(peer.connect("/room/7", "X-User: ann\r\n").status, 422);
  const Answer answer = peer.connect("/room/7?name=q", "X-User: ann\r\n");
  EXPECT_EQ(answer.status, 101);
  EXPECT_EQ(answer.field("x-seen"), "yes");
  EXPECT_EQ(peer.next(), "text ann/7/q");
  EXPECT_EQ(peer.next(), "close 1000");
  peer.send(close(1000));
  EXPECT_TRUE(no_sessions());
  EXPECT_TRUE(all_ended());
}

// What a handler object is told, in order.
class Diary {
public:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_ += line + '\n';
  }
  std::string lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

private:
  mutable std::mutex mutex_;
  std::string lines_;
};

struct Diarist {
  Diary* diary;
  std::string room;

  void open(WebSocket& socket) {
    diary->add("open " + room);
    socket.send("welcome");
  }
  void message(WebSocket& socket, std::string_view message) {
    diary->add("message " + std::string(message));
    if (message == "throw") throw std::runtime_error("no");
    if (message == "end") socket.close(4000, "as you wish");
  }
  void close(WebSocket& socket, std::uint16_t code, std::string_view reason) {
    diary->add("close " + std::to_string(code) + ' ' + std::string(reason) + (socket.is_open() ? " open" : ""));
  }
};

TEST_F(WebSocketTest, a_handler_object_is_told_everything) {
  Diary diary;
  app.websocket("/{room}", [&diary](std::string room) { return Diarist{&diary, std::move(room)}; });
  WebSocketClient peer = socket();
  EXPECT_EQ(peer.connect("/attic").status, 101);
  EXPECT_EQ(peer.next(), "text welcome");
  peer.text("one");
  peer.text("end");
  EXPECT_EQ(peer.next(), "close 4000 as you wish");
  peer.text("too late");
  peer.send(close(4000, "well"));
  EXPECT_TRUE(peer.client().ends());
  EXPECT_TRUE(no_sessions());
  EXPECT_EQ(diary.lines(), "open attic\nmessage one\nmessage end\nclose 4000 well\n");
}

TEST_F(WebSocketTest, a_connection_that_breaks_off_is_a_close_too) {
  Diary diary;
  app.websocket("/", [&diary] { return Diarist{&diary, "r"}; });
  {
    WebSocketClient peer = socket();
    peer.connect("/");
    EXPECT_EQ(peer.next(), "text welcome");
  }
  EXPECT_TRUE(no_sessions());
  EXPECT_EQ(diary.lines(), "open r\nclose 1006 \n");
}

TEST_F(WebSocketTest, what_a_handler_throws_ends_its_websocket_with_1011) {
  Diary diary;
  app.websocket("/object", [&diary] { return Diarist{&diary, "r"}; });
  app.websocket("/coroutine", [](WebSocket socket) -> Task<> {
    co_await socket.receive();
    throw std::runtime_error("no");
  });
  WebSocketClient peer = socket();
  peer.connect("/object");
  EXPECT_EQ(peer.next(), "text welcome");
  peer.text("throw");
  EXPECT_EQ(peer.next(), "close 1011");
  WebSocketClient other = socket();
  other.connect("/coroutine");
  other.text("throw");
  EXPECT_EQ(other.next(), "close 1011");
  peer.send(close(1011));
  other.send(close(1011));
  EXPECT_TRUE(no_sessions());  // before the diary goes
}

struct Point {
  int x;
  int y;
};
struct Mirror {
  void message(WebSocket& socket, Json<Point> point) { socket.send(Json<Point>{{{point->y, point->x}}}); }
};

TEST_F(WebSocketTest, messages_are_json_where_the_handler_says_so) {
  app.websocket("/", [] { return Mirror{}; });
  WebSocketClient peer = socket();
  peer.connect("/");
  peer.text(R"({"x": 1, "y": 2})");
  EXPECT_EQ(peer.next(), R"(text {"x":2,"y":1})");
  peer.text(R"({"x": 1})");
  EXPECT_EQ(peer.next(), "close 1007 not what is expected");
  WebSocketClient other = socket();
  other.connect("/");
  other.binary("{}");
  EXPECT_EQ(other.next(), "close 1003 text only");
}

TEST_F(WebSocketTest, breaches_end_with_their_codes) {
  app.websocket("/", echo, {.max_message = 100});
  for (const auto& [bytes, end] : {std::pair{frame(1, "a", {.masked = false}), "close 1002 unmasked frame"},
                                   std::pair{text("\xFF"), "close 1007 text that is not UTF-8"},
                                   std::pair{text(std::string(101, 'x')), "close 1009 message too big"}}) {
    WebSocketClient peer = socket();
    peer.connect("/");
    peer.send(text("good") + bytes);
    EXPECT_EQ(peer.next(), "text good");
    EXPECT_EQ(peer.next(), end);
    EXPECT_TRUE(peer.client().ends());
  }
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

TEST_F(WebSocketTest, a_handle_works_from_every_thread_and_after_the_end) {
  std::mutex mutex;
  WebSocket kept;
  app.websocket("/", [&](WebSocket socket) -> Task<> {
    {
      const std::lock_guard lock(mutex);
      kept = socket;
    }
    socket.send("kept");
    while (co_await socket.receive()) {
    }
  });
  WebSocketClient peer = socket();
  peer.connect("/");
  EXPECT_EQ(peer.next(), "text kept");
  const std::unique_lock lock(mutex);
  EXPECT_TRUE(kept.is_open());
  EXPECT_EQ(kept.send("from elsewhere").status(), SendStatus::Sent);
  EXPECT_EQ(peer.next(), "text from elsewhere");
  kept.close(3000, "done");
  EXPECT_EQ(peer.next(), "close 3000 done");
  peer.send(close(3000));
  EXPECT_TRUE(no_sessions());
  EXPECT_FALSE(kept.is_open());
  EXPECT_EQ(kept.close_code(), 3000);
  EXPECT_EQ(kept.send("anybody?").status(), SendStatus::Closed);
  kept.close();
  kept.subscribe("x");
  WebSocket nobody;
  EXPECT_EQ(nobody.send("x").status(), SendStatus::Closed);
  EXPECT_FALSE(nobody.is_open());
}

TEST_F(WebSocketTest, a_handle_outlives_the_server) {
  std::promise<WebSocket> promise;
  {
    App other;
    other.websocket("/", [&promise](WebSocket socket) -> Task<> {
      promise.set_value(socket);
      co_await socket.receive();
    });
    Running server(other.service());
    WebSocketClient peer(server.client());
    peer.connect("/");
    server.drain(Milliseconds(0));
    server.wait();
  }
  WebSocket kept = promise.get_future().get();
  EXPECT_FALSE(kept.is_open());
  EXPECT_EQ(kept.send("anybody?").status(), SendStatus::Closed);
  kept.publish("a", "b");
}

TEST_F(WebSocketTest, a_request_may_be_looked_at_when_the_peer_has_gone) {
  std::string seen;
  app.websocket("/", [&](WebSocket socket, Request& request) -> Task<> {
    while (co_await socket.receive()) {
    }
    co_await gate.pass();
    seen = std::string(request.scheme()) + " " + std::string(request.remote()) + " " +
           (request.stop().stop_requested() ? "stopped" : "goes on");
  });
  {
    WebSocketClient peer = socket();
    peer.connect("/");
  }
  ASSERT_TRUE(gate.await(1));
  gate.open();
  EXPECT_TRUE(no_sessions());
  EXPECT_TRUE(seen == "http 127.0.0.1 stopped" || seen == "https 127.0.0.1 stopped") << seen;
}

TEST_F(WebSocketTest, window_bits_that_are_impossible_are_refused_at_once) {
  for (const int bits : {8, 16}) {
    EXPECT_THROW(app.websocket("/", echo, {.compression = Compression::Separate, .window_bits = bits}), SetupError);
  }
}

TEST_F(WebSocketTest, a_handshake_has_no_content) {
  app.websocket("/", echo);
  Client client = this->client();
  client.send("GET / HTTP/1.1\r\nHost: test\r\n" + std::string(handshake_fields) + "Content-Length: 5\r\n\r\nhello");
  EXPECT_EQ(client.answer().status, 400);
}

TEST_F(WebSocketTest, a_coroutine_that_outlives_its_peer_is_told_and_ends_by_itself) {
  std::promise<SendStatus> status;
  app.websocket("/", [this, &status](WebSocket socket) -> Task<> {
    co_await gate.pass();
    const auto message = co_await socket.receive();
    EXPECT_FALSE(message.has_value());
    const SendStatus sent = co_await socket.send("late");
    status.set_value(sent);
  });
  {
    WebSocketClient peer = socket();
    peer.connect("/");
    ASSERT_TRUE(gate.await());
  }
  EXPECT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  EXPECT_FALSE(running().on_loop([this] { return running().worker().sockets().empty(); }));
  gate.open();
  EXPECT_EQ(status.get_future().get(), SendStatus::Closed);
  EXPECT_TRUE(no_sessions());
}

}  // namespace
}  // namespace tern::testing
