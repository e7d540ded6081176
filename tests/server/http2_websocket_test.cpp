// WebSockets by extended CONNECT (RFC 8441): many on a connection, windows, ends of streams. (What is the same over
// HTTP/1.1 is in tests/transports.)
#include "server/http2_client.hpp"

#include "server/app_test.hpp"
#include "websocket/feed.hpp"
#include "websockets/hub.hpp"

#include <tern/async.hpp>

#include <atomic>
#include <string>
#include <vector>

namespace tern::testing {
namespace {

using websocket::testing::close;
using websocket::testing::read_frames;
using websocket::testing::text;

Task<> echo(WebSocket socket) {
  while (auto message = co_await socket.receive()) co_await socket.send(*message);
}

class Http2Sockets : public AppTest {
protected:
  Http2Client client(std::uint32_t window = 65535) { return Http2Client(running().port(), window); }
  bool no_sessions() {
    return running().eventually([this] { return running().worker().context().sockets().empty(); });
  }
  // Joins a WebSocket; the answer's status is waited for.
  static std::int32_t join(Http2Client& client, std::string_view path) {
    const auto id = client.connect("websocket", path, {{"sec-websocket-version", "13"}});
    EXPECT_TRUE(client.until([&] { return client.http2().at(id).status != 0; }));
    EXPECT_EQ(client.http2().at(id).status, 200);
    return id;
  }
  static bool until_frames(Http2Client& client, std::int32_t id, std::string_view frames) {
    return client.until([&] { return read_frames(client.http2().at(id).content) == frames; });
  }
};

TEST_F(Http2Sockets, are_offered_and_stand_beside_each_other_and_beside_requests) {
  app.websocket("/echo", echo);
  app.get("/plain", [] { return "plain"; });
  Http2Client client = this->client();
  EXPECT_EQ(client.ask("/plain").content, "plain");
  EXPECT_EQ(nghttp2_session_get_remote_settings(client.http2().session(), NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL),
            1U);
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(join(client, "/echo"));
  for (const auto id : ids) client.send(id, text("to " + std::to_string(id)));
  EXPECT_EQ(client.ask("/plain").content, "plain");
  for (const auto id : ids) EXPECT_TRUE(until_frames(client, id, "text to " + std::to_string(id) + "\n"));
  client.reset(ids[0]);
  client.send(ids[1], close(1000));
  EXPECT_TRUE(client.until([&] { return client.http2().at(ids[1]).ended; }));
  client.send(ids[2], text("again"));
  EXPECT_TRUE(until_frames(client, ids[2], "text to " + std::to_string(ids[2]) + "\ntext again\n"));
  EXPECT_EQ(client.ask("/plain").content, "plain");
  client.peer().reset();
  EXPECT_TRUE(no_sessions());
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2Sockets, what_connect_does_not_mean_is_refused) {
  app.websocket("/echo", echo);
  app.get("/plain", [] { return "plain"; });
  app.on(Method::Connect, "/tunnel", [] { return "anything"; });
  Http2Client client = this->client();
  const auto status = [&](std::string_view protocol, std::string_view path, const http2::FieldPairs& fields = {}) {
    return client.answer(client.connect(protocol, path, fields)).status;
  };
  EXPECT_EQ(status("connect-udp", "/echo"), 501);
  EXPECT_EQ(status("websocket", "/plain", {{"sec-websocket-version", "13"}}), 405);
  EXPECT_EQ(status("websocket", "/nothing", {{"sec-websocket-version", "13"}}), 404);
  EXPECT_EQ(status("websocket", "/tunnel", {{"sec-websocket-version", "13"}}), 400) << "a 200 would say that it is one";
  EXPECT_EQ(status("websocket", "/echo"), 400) << "no version";
  EXPECT_EQ(status("websocket", "/echo", {{"sec-websocket-version", "13"}, {"origin", "http://evil.example"}}), 403);
  EXPECT_EQ(client.ask("/echo").status, 400) << "not by GET";
  EXPECT_EQ(client.answer(client.connect("WebSocket", "/echo", {{"sec-websocket-version", "8"}}))
                .field("sec-websocket-version"),
            "13");
  EXPECT_TRUE(all_ended());
}

TEST_F(Http2Sockets, an_end_of_the_stream_is_an_end_of_the_connection) {
  std::atomic<int> code = 0;
  app.websocket("/", [&](WebSocket socket) -> Task<> {
    while (co_await socket.receive()) {
    }
    code = socket.close_code();
  });
  Http2Client client = this->client();
  const auto id = join(client, "/");
  client.send(id, text("last"), true);
  EXPECT_TRUE(client.answer(id).ended);
  EXPECT_TRUE(client.until([&] { return client.http2().at(id).closed; }));
  EXPECT_EQ(client.http2().at(id).error, std::uint32_t{NGHTTP2_NO_ERROR});
  EXPECT_TRUE(no_sessions());
  EXPECT_EQ(code, 1006);
}

TEST_F(Http2Sockets, a_socket_that_is_silent_for_too_long_is_reset_and_its_connection_is_kept) {
  app.websocket("/", echo, {.ping = Milliseconds(40), .pong = Milliseconds(40)});
  app.get("/plain", [] { return "plain"; });
  Http2Client client = this->client();
  const auto id = join(client, "/");
  EXPECT_TRUE(client.until([&] { return client.http2().at(id).closed; }));
  EXPECT_EQ(read_frames(client.http2().at(id).content), "ping \n");
  EXPECT_EQ(client.http2().at(id).error, std::uint32_t{NGHTTP2_CANCEL});
  EXPECT_EQ(client.ask("/plain").content, "plain");
  EXPECT_TRUE(no_sessions());
}

TEST_F(Http2Sockets, a_connection_with_one_is_not_idle_and_without_is) {
  settings.idle_timeout = Milliseconds(60);
  app.websocket("/", echo);
  Http2Client client = this->client();
  const auto id = join(client, "/");
  Http2Client other = this->client();
  EXPECT_EQ(other.ask("/nothing").status, 404);
  EXPECT_TRUE(other.ends_with(NGHTTP2_NO_ERROR)) << "by then, the first one's time would be over, too";
  client.send(id, text("still here"));
  EXPECT_TRUE(until_frames(client, id, "text still here\n"));
  client.send(id, close(1000), true);
  EXPECT_TRUE(client.ends_with(NGHTTP2_NO_ERROR));
}

TEST_F(Http2Sockets, a_coroutine_that_does_not_receive_stops_its_own_stream_only) {
  std::atomic<std::size_t> received = 0;
  app.websocket("/slow", [&](WebSocket socket) -> Task<> {
    co_await gate.pass();
    while (auto message = co_await socket.receive()) received += message->content.size();
  });
  app.websocket("/echo", echo);
  Http2Client client = this->client();
  const auto slow = join(client, "/slow");
  const auto other = join(client, "/echo");
  ASSERT_TRUE(gate.await());
  const std::string message = text(std::string(10'000, 'x'));
  std::string all;
  for (int i = 0; i < 100; ++i) all += message;
  client.send(slow, all);
  client.send(other, text("hello"));
  EXPECT_TRUE(until_frames(client, other, "text hello\n"));
  for (int i = 0; i < 20; ++i) running().on_loop([] {});
  EXPECT_LE(nghttp2_session_get_stream_remote_window_size(client.http2().session(), slow), 64 * 1024)
      << "of 256 KiB: what it does not take fills the window";
  gate.open();
  EXPECT_TRUE(client.until([&] {
    client.ping();
    return received == 1'000'000;
  }));
  client.peer().reset();
  EXPECT_TRUE(no_sessions());
}

TEST_F(Http2Sockets, a_coroutine_that_takes_one_message_at_a_time_keeps_the_window_closed) {
  std::atomic<bool> hurries = false;
  app.websocket("/", [&](WebSocket socket) -> Task<> {
    while (co_await socket.receive()) {
      co_await socket.send("taken");
      if (!hurries) co_await gate.pass();
    }
  });
  Http2Client client = this->client();
  const auto id = join(client, "/");
  const std::string message = text(std::string(1000, 'x'));
  std::string all;
  for (int i = 0; i < 4000; ++i) all += message;
  client.send(id, all);
  std::string taken;
  for (int i = 0; i < 60; ++i) {
    taken += "text taken\n";
    ASSERT_TRUE(until_frames(client, id, taken));
    ASSERT_TRUE(gate.await());
    gate.open();
  }
  EXPECT_GT(client.http2().unsent(id), 3'000'000U) << "of 4 MB: two windows, and what was taken";
  ASSERT_TRUE(gate.await());
  hurries = true;
  gate.open();
  client.peer().reset();
  EXPECT_TRUE(no_sessions());
}

TEST_F(Http2Sockets, a_client_that_gives_no_window_makes_the_sender_wait) {
  std::atomic<int> sent = 0;
  app.websocket("/",
                [&](WebSocket socket) -> Task<> {
                  for (int i = 0; i < 50; ++i) {
                    if (co_await socket.send(std::string(10'000, 'x')) != SendStatus::Sent) co_return;
                    ++sent;
                  }
                },
                {.max_queued = 30'000});
  Http2Client client = this->client(1000);
  const auto id = join(client, "/");
  ASSERT_TRUE(client.until([&] { return client.http2().at(id).content.size() >= 1000; }));
  const int before = sent;
  EXPECT_LT(before, 10);
  nghttp2_session_set_local_window_size(client.http2().session(), NGHTTP2_FLAG_NONE, id, 1 << 20);
  nghttp2_session_set_local_window_size(client.http2().session(), NGHTTP2_FLAG_NONE, 0, 1 << 20);
  EXPECT_TRUE(client.until([&] { return client.http2().at(id).content.size() > 500'000; }));
  EXPECT_EQ(sent, 50);
}

// Sends until something is dropped, and tells when there is room again.
struct FastSender {
  void message(WebSocket& socket, MessageView) {
    const std::string some(100'000, 'x');
    while (socket.send(some) == SendStatus::Sent) {
    }
  }
  void drained(WebSocket& socket) { socket.send("drained"); }
};

TEST_F(Http2Sockets, behind_what_was_dropped_comes_the_room) {
  app.websocket("/", [] { return FastSender{}; }, {.when_full = WhenFull::Drop});
  Http2Client client(running().port(), 1 << 30, 16 * 1024);
  client.http2().open_window();
  const auto id = join(client, "/");
  client.send(id, text("go"));
  EXPECT_TRUE(client.until([&] { return client.http2().at(id).content.ends_with("drained"); }));
}

struct Burst {
  void message(WebSocket& socket, MessageView) {
    for (int i = 0; i < 4; ++i) socket.send(std::string(60'000, 'x'));
  }
};

TEST_F(Http2Sockets, much_in_one_round_does_not_make_a_slow_client) {
  app.websocket("/", [] { return Burst{}; }, {.max_queued = 100'000, .when_full = WhenFull::Close});
  Http2Client client = this->client(1 << 20);
  client.http2().open_window();
  const auto id = join(client, "/");
  client.send(id, text("go"));
  const http2::ClientResponse& answer = client.http2().at(id);
  EXPECT_TRUE(client.until([&] { return answer.content.size() == 4 * 60'004 || answer.closed; }));
  EXPECT_EQ(read_frames(answer.content), "text (60000)\ntext (60000)\ntext (60000)\ntext (60000)\n");
}

TEST_F(Http2Sockets, an_end_that_finds_no_window_is_not_waited_for_for_ever) {
  settings.grace = Milliseconds(50);
  app.websocket("/", echo);
  Http2Client client = this->client(0);
  const auto id = join(client, "/");
  client.send(id, {}, true);
  EXPECT_TRUE(client.until([&] { return client.http2().at(id).closed; }));
  EXPECT_EQ(client.http2().at(id).error, std::uint32_t{NGHTTP2_CANCEL});
  EXPECT_TRUE(no_sessions());
}

TEST_F(Http2Sockets, what_they_say_does_not_wait_behind_a_long_answer) {
  app.websocket("/", echo);
  const std::string content(32'000'000, 'x');
  app.get("/long", [&] { return content; });
  Http2Client client(running().port(), 1 << 30, 64 * 1024);
  client.http2().open_window();
  const auto answer = client.get("/long");
  const auto id = client.connect("websocket", "/", {{"sec-websocket-version", "13"}});
  client.send(id, text("hello"));
  EXPECT_TRUE(until_frames(client, id, "text hello\n"));
  EXPECT_LT(client.http2().at(answer).content.size(), content.size());
}

// What has come to a client, which answers pings of HTTP/2.
void hear(Http2Client& client) {
  bool heard = !client.readable_within(10);
  client.until([&heard] { return std::exchange(heard, true); });
}

TEST_F(Http2Sockets, others_that_fill_the_connection_s_window_are_not_held_against_one) {
  const Milliseconds moment(1000);  // in which any client comes round to answering
  app.post("/slow", [this](BodyStream body) -> Task<> {
    co_await gate.pass();
    while (co_await body.next()) {
    }
  });
  app.websocket("/echo", echo, {.ping = moment, .pong = moment});
  Http2Client client = this->client();
  for (int i = 0; i < 4; ++i) client.post("/slow", std::string(1'000'000, 'x'));
  ASSERT_TRUE(gate.await(4));
  const auto id = join(client, "/echo");
  client.send(id, text("hello"));
  Http2Client other = this->client();
  const auto silent = join(other, "/echo");
  while (!other.http2().at(silent).closed) {
    hear(other);
    hear(client);
  }
  gate.open();
  EXPECT_TRUE(client.until([&] {
    return client.http2().at(id).closed || read_frames(client.http2().at(id).content).ends_with("text hello\n");
  }));
  EXPECT_FALSE(client.http2().at(id).closed);
}

TEST_F(Http2Sockets, but_a_dead_peer_behind_the_connection_s_window_is_gone) {
  settings.min_data_rate = 0;
  app.post("/slow", [this](BodyStream body) -> Task<> {
    co_await gate.pass();
    while (co_await body.next()) {
    }
  });
  app.websocket("/", echo, {.ping = Milliseconds(50), .pong = Milliseconds(50)});
  Http2Client client = this->client();
  for (int i = 0; i < 4; ++i) client.post("/slow", std::string(1'000'000, 'x'));
  ASSERT_TRUE(gate.await(4));
  join(client, "/");
  EXPECT_TRUE(no_sessions());
  gate.open();
}

struct LongCloseReason {
  void message(WebSocket& socket, MessageView) {
    socket.send(std::string(200'000, 'x'));
    socket.close();
  }
};

TEST_F(Http2Sockets, a_close_behind_the_connection_s_window_does_not_wait_for_a_dead_peer_for_ever) {
  settings.min_data_rate = 0;
  app.websocket("/", [] { return LongCloseReason{}; }, {.close_timeout = Milliseconds(50)});
  Http2Client client = this->client(1 << 20);
  client.send(join(client, "/"), text("go"));
  EXPECT_TRUE(no_sessions());
}

TEST_F(Http2Sockets, those_that_are_not_read_leave_the_window_of_the_connection_to_others) {
  app.websocket("/slow", [this](WebSocket socket) -> Task<> {
    co_await gate.pass();
    while (co_await socket.receive()) {
    }
  });
  app.websocket("/echo", echo);
  Http2Client client = this->client();
  const std::string message = text(std::string(10'000, 'x'));
  std::string all;
  for (int i = 0; i < 100; ++i) all += message;
  std::vector<std::int32_t> slow;
  for (int i = 0; i < 6; ++i) {
    slow.push_back(join(client, "/slow"));
    client.send(slow.back(), all);
  }
  const auto id = join(client, "/echo");
  client.send(id, text("hello"));
  EXPECT_TRUE(until_frames(client, id, "text hello\n"));
  for (const auto each : slow) EXPECT_GT(client.http2().unsent(each), 0U);
  gate.open();
  EXPECT_TRUE(client.until([&] {
    client.send(id, text("hello"));
    return client.http2().unsent(slow.back()) == 0;
  }));
  client.peer().reset();
  EXPECT_TRUE(no_sessions());
}

TEST_F(Http2Sockets, a_drain_says_goaway_and_closes_them_with_1001) {
  app.websocket("/", echo);
  Http2Client client = this->client();
  const auto one = join(client, "/");
  const auto two = join(client, "/");
  running().drain();
  for (const auto id : {one, two}) EXPECT_TRUE(until_frames(client, id, "close 1001 the server stops\n"));
  ASSERT_TRUE(client.until([&] { return client.http2().goaway() == 0; }));
  for (const auto id : {one, two}) client.send(id, close(1001), true);
  for (const auto id : {one, two}) EXPECT_TRUE(client.answer(id).ended);
  EXPECT_TRUE(client.ends_with(NGHTTP2_NO_ERROR));
  client.peer().close();
  running().wait();
}

TEST_F(Http2Sockets, what_is_published_reaches_those_of_one_connection) {
  app.websocket("/", [](WebSocket socket) -> Task<> {
    socket.subscribe("all");
    socket.send("ready");
    while (co_await socket.receive()) {
    }
  });
  Http2Client client = this->client();
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(join(client, "/"));
    EXPECT_TRUE(until_frames(client, ids.back(), "text ready\n"));
  }
  running().server().sockets().publish({"all", "news"});
  for (const auto id : ids) EXPECT_TRUE(until_frames(client, id, "text ready\ntext news\n"));
}

}  // namespace
}  // namespace tern::testing
