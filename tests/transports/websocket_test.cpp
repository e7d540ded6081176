// WebSockets of an app.
#include "transports/websocket_fixture.hpp"

#include <tern/async.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <string>

namespace tern::testing {
namespace {

using websocket::testing::close;
using websocket::testing::fragments;
using websocket::testing::frame;
using websocket::testing::text;
using WebSockets = WebSocketsTest;
INSTANTIATE_TEST_SUITE_P(Over, WebSockets, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(WebSockets, both_styles_echo_every_kind_of_message) {
  app.websocket("/coroutine", echo);
  app.websocket("/object", [] { return Echo{}; });
  for (const char* path : {"/coroutine", "/object"}) {
    TransportWebSocket peer = socket();
    const ClientResponse& answer = peer.connect(path);
    EXPECT_EQ(answer.status, opened());
    EXPECT_EQ(answer.field("sec-websocket-accept"), over_http2() ? "" : "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
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
    EXPECT_TRUE(peer.ends());
  }
  EXPECT_TRUE(no_sessions());
  EXPECT_TRUE(all_ended());
}

TEST_P(WebSockets, frames_may_come_with_the_handshake_and_bit_by_bit) {
  app.websocket("/", echo);
  TransportWebSocket peer = socket();
  EXPECT_EQ(peer.connect("/", {}, text("early") + text("bird")).status, opened());
  EXPECT_EQ(peer.next(), "text early");
  EXPECT_EQ(peer.next(), "text bird");
  const std::string last = text("slow") + close(1001);
  for (const char c : last) {
    peer.send({&c, 1});
    running().on_loop([] {});
  }
  EXPECT_EQ(peer.next(), "text slow");
  EXPECT_EQ(peer.next(), "close 1001");
  EXPECT_TRUE(peer.ends());
}

TEST_P(WebSockets, bytes_before_a_late_upgrade_wait) {
  app.use([this](Request&, Next next) -> Task<Response> {
    co_await gate.pass();
    co_return co_await next();
  });
  app.websocket("/", echo);
  TransportWebSocket peer = socket();
  peer.begin("/", {}, text("early"));
  ASSERT_TRUE(gate.await());
  settle();
  gate.open();
  EXPECT_EQ(peer.opened().status, opened());
  EXPECT_EQ(peer.next(), "text early");
}

TEST_P(WebSockets, what_is_no_handshake_is_answered) {
  app.websocket("/", echo);
  TransportClient plain = make_client();
  EXPECT_EQ(plain.answer_of("/").status, over_http2() ? 400 : 426);
  TransportWebSocket evil = socket();
  EXPECT_EQ(evil.connect("/", {{"origin", "http://evil.example"}}).status, 403);
  EXPECT_EQ(evil.make_client().answer().field("content-type"), "application/problem+json");
  TransportWebSocket old = socket();
  EXPECT_GE(old.connect("/", {{"sec-websocket-version", "8"}}).status, 400);
  TransportWebSocket lost = socket();
  EXPECT_EQ(lost.connect("/nowhere").status, 404);
  EXPECT_TRUE(no_sessions());
  EXPECT_TRUE(all_ended());
}

TEST_P(WebSockets, what_is_none_stays_none) {
  TransportClient client = make_client();
  client.ask({.path = "/hello", .fields = {{"sec-websocket-version", "13"}}, .end = false, .websocket = true});
  EXPECT_EQ(client.answer().status, over_http2() ? 405 : 200);
  EXPECT_TRUE(all_ended());
}

TEST_P(WebSockets, a_handle_outlives_the_server) {
  std::promise<WebSocket> promise;
  app.websocket("/", [&promise](WebSocket socket) -> Task<> {
    promise.set_value(socket);
    co_await socket.receive();
  });
  TransportWebSocket peer = socket();
  peer.connect("/");
  WebSocket kept = promise.get_future().get();
  end_server(Milliseconds(0));
  EXPECT_FALSE(kept.is_open());
  EXPECT_EQ(kept.send("hello?").status(), SendStatus::Closed);
  kept.publish("a", "b");
}

struct User {
  std::string name;
};

TEST_P(WebSockets, middleware_and_parameters_answer_before_the_upgrade) {
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
  EXPECT_EQ(socket().connect("/room/7?name=q").status, 401);
  EXPECT_EQ(socket().connect("/room/x?name=q", {{"x-user", "ann"}}).status, 404);
  EXPECT_EQ(socket().connect("/room/7", {{"x-user", "ann"}}).status, 422);
  TransportWebSocket peer = socket();
  const ClientResponse& answer = peer.connect("/room/7?name=q", {{"x-user", "ann"}});
  EXPECT_EQ(answer.status, opened());
  EXPECT_EQ(answer.field("x-seen"), "yes");
  EXPECT_EQ(peer.next(), "text ann/7/q");
  EXPECT_EQ(peer.next(), "close 1000");
  peer.send(close(1000));
  EXPECT_TRUE(peer.ends());
  EXPECT_TRUE(no_sessions());
  EXPECT_TRUE(all_ended());
}

// The calls of a handler object, in order.
class EventRecorder {
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

struct RecordingHandler {
  EventRecorder* recorder;
  std::string room;

  void open(WebSocket& socket) {
    recorder->add("open " + room);
    socket.send("welcome");
  }
  void message(WebSocket& socket, std::string_view message) {
    recorder->add("message " + std::string(message));
    if (message == "throw") throw std::runtime_error("no");
    if (message == "end") socket.close(4000, "as you wish");
  }
  void close(WebSocket& socket, std::uint16_t code, std::string_view reason) {
    recorder->add("close " + std::to_string(code) + ' ' + std::string(reason) + (socket.is_open() ? " open" : ""));
  }
};

TEST_P(WebSockets, a_handler_object_gets_all_events) {
  EventRecorder recorder;
  app.websocket("/{room}", [&recorder](std::string room) { return RecordingHandler{&recorder, std::move(room)}; });
  TransportWebSocket peer = socket();
  EXPECT_EQ(peer.connect("/attic").status, opened());
  EXPECT_EQ(peer.next(), "text welcome");
  peer.text("one");
  peer.text("end");
  EXPECT_EQ(peer.next(), "close 4000 as you wish");
  peer.text("too late");
  peer.send(close(4000, "well"));
  EXPECT_TRUE(peer.ends());
  EXPECT_TRUE(no_sessions());
  EXPECT_EQ(recorder.lines(), "open attic\nmessage one\nmessage end\nclose 4000 well\n");
}

TEST_P(WebSockets, a_connection_that_breaks_off_is_a_close_too) {
  EventRecorder recorder;
  app.websocket("/", [&recorder] { return RecordingHandler{&recorder, "r"}; });
  for (const Disconnection how : {Disconnection::Cancel, Disconnection::Reset}) {
    TransportWebSocket peer = socket();
    peer.connect("/");
    EXPECT_EQ(peer.next(), "text welcome");
    go(peer.make_client(), how);
    EXPECT_TRUE(no_sessions());
  }
  EXPECT_EQ(recorder.lines(), "open r\nclose 1006 \nopen r\nclose 1006 \n");
}

TEST_P(WebSockets, what_a_handler_throws_ends_its_websocket_with_1011) {
  EventRecorder recorder;
  app.websocket("/object", [&recorder] { return RecordingHandler{&recorder, "r"}; });
  app.websocket("/coroutine", [](WebSocket socket) -> Task<> {
    co_await socket.receive();
    throw std::runtime_error("no");
  });
  TransportWebSocket peer = socket();
  peer.connect("/object");
  EXPECT_EQ(peer.next(), "text welcome");
  peer.text("throw");
  EXPECT_EQ(peer.next(), "close 1011");
  TransportWebSocket other = socket();
  other.connect("/coroutine");
  other.text("throw");
  EXPECT_EQ(other.next(), "close 1011");
  peer.send(close(1011));
  other.send(close(1011));
  EXPECT_TRUE(peer.ends() && other.ends());
  EXPECT_TRUE(no_sessions());  // before the recorder is destroyed
}

struct Point {
  int x;
  int y;
};
struct Mirror {
  void message(WebSocket& socket, Json<Point> point) { socket.send(Json<Point>{{{point->y, point->x}}}); }
};

TEST_P(WebSockets, messages_are_json_where_the_handler_says_so) {
  app.websocket("/", [] { return Mirror{}; });
  TransportWebSocket peer = socket();
  peer.connect("/");
  peer.text(R"({"x": 1, "y": 2})");
  EXPECT_EQ(peer.next(), R"(text {"x":2,"y":1})");
  peer.text(R"({"x": 1})");
  EXPECT_EQ(peer.next(), "close 1007 not what is expected");
  TransportWebSocket other = socket();
  other.connect("/");
  other.binary("{}");
  EXPECT_EQ(other.next(), "close 1003 text only");
}

TEST_P(WebSockets, breaches_end_with_their_codes) {
  app.websocket("/", echo, {.max_message = 100});
  for (const auto& [bytes, end] : {std::pair{frame(1, "a", {.masked = false}), "close 1002 unmasked frame"},
                                   std::pair{text("\xFF"), "close 1007 text that is not UTF-8"},
                                   std::pair{text(std::string(101, 'x')), "close 1009 message too big"}}) {
    TransportWebSocket peer = socket();
    peer.connect("/");
    peer.send(text("good") + bytes);
    EXPECT_EQ(peer.next(), "text good");
    EXPECT_EQ(peer.next(), end);
    EXPECT_TRUE(peer.ends());
  }
  EXPECT_TRUE(no_sessions());
}

TEST_P(WebSockets, a_handle_works_from_every_thread_and_after_the_end) {
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
  TransportWebSocket peer = socket();
  peer.connect("/");
  EXPECT_EQ(peer.next(), "text kept");
  const std::unique_lock lock(mutex);
  EXPECT_TRUE(kept.is_open());
  EXPECT_EQ(kept.send("from elsewhere").status(), SendStatus::Sent);
  EXPECT_EQ(peer.next(), "text from elsewhere");
  kept.close(3000, "done");
  EXPECT_EQ(peer.next(), "close 3000 done");
  peer.send(close(3000));
  EXPECT_TRUE(peer.ends());
  EXPECT_TRUE(no_sessions());
  EXPECT_FALSE(kept.is_open());
  EXPECT_EQ(kept.close_code(), 3000);
  EXPECT_EQ(kept.send("hello?").status(), SendStatus::Closed);
  kept.close();
  kept.subscribe("x");
  WebSocket empty;
  EXPECT_EQ(empty.send("x").status(), SendStatus::Closed);
  EXPECT_FALSE(empty.is_open());
}

TEST_P(WebSockets, a_request_may_be_looked_at_when_the_peer_has_gone) {
  std::string seen;
  app.websocket("/", [&](WebSocket socket, Request& request) -> Task<> {
    while (co_await socket.receive()) {
    }
    co_await gate.pass();
    seen = std::string(request.scheme()) + " " + std::string(request.remote()) + " " +
           (request.stop().stop_requested() ? "stopped" : "goes on");
  });
  {
    TransportWebSocket peer = socket();
    peer.connect("/");
  }
  ASSERT_TRUE(gate.await(1));
  gate.open();
  EXPECT_TRUE(no_sessions());
  EXPECT_TRUE(seen == "http 127.0.0.1 stopped" || seen == "https 127.0.0.1 stopped") << seen;
}

TEST_P(WebSockets, a_coroutine_that_outlives_its_peer_learns_of_it_and_ends) {
  std::promise<SendStatus> status;
  app.websocket("/", [this, &status](WebSocket socket) -> Task<> {
    co_await gate.pass();
    const auto message = co_await socket.receive();
    EXPECT_FALSE(message.has_value());
    const SendStatus sent = co_await socket.send("late");
    status.set_value(sent);
  });
  {
    TransportWebSocket peer = socket();
    peer.connect("/");
    ASSERT_TRUE(gate.await());
  }
  EXPECT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  EXPECT_FALSE(running().on_loop([this] { return running().worker().context().sockets().empty(); }));
  gate.open();
  EXPECT_EQ(status.get_future().get(), SendStatus::Closed);
  EXPECT_TRUE(no_sessions());
}

}  // namespace
}  // namespace tern::testing
