// WebSockets with slow, silent and disconnecting peers, and publications.
#include "transports/websocket_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::testing {
namespace {

using websocket::testing::close;
using websocket::testing::frame;
using websocket::testing::text;
using WebSocketFlow = WebSocketsTest;
INSTANTIATE_TEST_SUITE_P(Over, WebSocketFlow, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(WebSocketFlow, while_a_coroutine_is_busy_pings_are_answered_and_then_the_peer_waits) {
  app.websocket("/", [this](WebSocket socket) -> Task<> {
    co_await gate.pass();
    std::size_t count = 0;
    while (auto message = co_await socket.receive()) count += message->content.size();
    EXPECT_GT(count, 0U);
  });
  app.websocket("/count", [this](WebSocket socket) -> Task<> {
    co_await gate.pass();
    for (int i = 0; i < 200; ++i) co_await socket.receive();
    co_await socket.send("all");
  });
  TransportWebSocket peer = socket();
  peer.connect("/count");
  ASSERT_TRUE(gate.await());
  peer.send(text("kept") + frame(9, "1"));
  EXPECT_EQ(peer.next(), "pong 1");
  std::string many;
  for (int i = 0; i < 199; ++i) many += text("message");
  peer.send(many + frame(9, "2"));
  EXPECT_FALSE(peer.comes_within(50));
  gate.open();
  EXPECT_EQ(peer.next(), "text all");
}

TEST_P(WebSocketFlow, a_sender_waits_for_a_peer_that_does_not_read) {
  std::atomic<int> sent = 0;
  app.websocket("/",
                [&sent](WebSocket socket) -> Task<> {
                  const std::string big(100'000, 'x');
                  for (int i = 0; i < 100; ++i) {
                    if (co_await socket.send(big) != SendStatus::Sent) co_return;
                    ++sent;
                  }
                },
                {.max_queued = 200'000});
  TransportWebSocket peer = socket(64 * 1024);
  peer.connect("/");
  EXPECT_TRUE(running().eventually([&] { return sent > 0; }));
  EXPECT_LT(sent, 100);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(peer.next(), "text (100000)");
  EXPECT_EQ(peer.next(), "close 1000");
}

// Echoed messages are sent from the received bytes; a slow peer gets all of them.
TEST_P(WebSocketFlow, large_messages_that_are_sent_back_from_where_they_lie_stay_what_they_are) {
  app.websocket("/", [] { return Echo{}; }, {.max_queued = 16 * 1024 * 1024});
  TransportWebSocket peer = socket(64 * 1024);
  peer.connect("/");
  std::vector<std::string> messages;
  std::string frames;
  for (std::size_t i = 0; i < 40; ++i) {
    std::string message(10'000 * (1 + i % 7), '\0');
    for (std::size_t k = 0; k < message.size(); ++k) message[k] = static_cast<char>('a' + (i + k * 7 + k / 251) % 26);
    frames += websocket::testing::frame(1, message);
    messages.push_back(std::move(message));
  }
  peer.send(frames);
  for (const std::string& message : messages) {
    ASSERT_EQ(peer.next(), "text (" + std::to_string(message.size()) + ")");
    ASSERT_TRUE(peer.payload() == message);
  }
}

// Most of what these have goes from the socket to where they are collected, the more so behind the first of them.
TEST_P(WebSocketFlow, very_large_messages_come_and_go_whole) {
  const WebSocketOptions options{.max_message = 4'000'000, .max_queued = 16 * 1024 * 1024};
  app.websocket("/object", [] { return Echo{}; }, options);
  app.websocket("/coroutine", echo, options);
  for (const char* path : {"/object", "/coroutine"}) {
    TransportWebSocket peer = socket(64 * 1024);
    peer.connect(path);
    for (const std::size_t size : {1'300'000UL, 3'000'000UL, 262'143UL, 70'000UL, 400'000UL, 400'001UL, 5UL}) {
      std::string message(size, '\0');
      for (std::size_t k = 0; k < size; ++k) message[k] = static_cast<char>('a' + (size + k * 7 + k / 251) % 26);
      message.replace(size - 4, 4, "\xF0\x9F\x98\x80");
      peer.send(text(message) + websocket::testing::fragments(2, message, 300'000) + frame(9, "?"));
      ASSERT_EQ(peer.next(), "text " + (size > 64 ? "(" + std::to_string(size) + ")" : message));
      ASSERT_TRUE(peer.payload() == message);
      ASSERT_EQ(peer.next(), "binary " + (size > 64 ? "(" + std::to_string(size) + ")" : message));
      ASSERT_TRUE(peer.payload() == message);
      ASSERT_EQ(peer.next(), "pong ?");
    }
  }
}

TEST_P(WebSocketFlow, what_is_wrong_with_very_large_messages_ends_them) {
  app.websocket("/", [] { return Echo{}; }, {.max_message = 1'000'000});
  std::string message(900'000, 'x');
  message += '\xC3';
  TransportWebSocket peer = socket();
  peer.connect("/");
  peer.send(text(message));
  EXPECT_EQ(peer.next(), "close 1007 text that is not UTF-8");
  TransportWebSocket other = socket();
  other.connect("/");
  message.back() = 'x';
  other.send(frame(1, message, {.fin = false}));
  other.send(frame(0, message));
  EXPECT_EQ(other.next(), "close 1009 message too big");
  TransportWebSocket gone = socket();
  gone.connect("/");
  gone.send(std::string_view(text(message)).substr(0, 700'000));
  gone.make_client().close();
  EXPECT_TRUE(no_sessions());
}

TEST_P(WebSocketFlow, what_a_slow_peer_does_not_take_is_dropped_or_ends_it) {
  const auto flood = [](WebSocket socket) -> Task<> {
    const std::string big(100'000, 'x');
    int sent = 0;
    for (int i = 0; i < 300; ++i) {
      const SendStatus status = socket.send(big);
      if (status == SendStatus::Sent) ++sent;
      if (status == SendStatus::Closed) co_return;
      EXPECT_LE(socket.queued(), 300'000U);
    }
    EXPECT_LT(sent, 300);
    while (co_await socket.receive()) co_await socket.send(std::to_string(sent));
  };
  app.websocket("/drop", flood, {.max_queued = 200'000, .when_full = WhenFull::Drop});
  app.websocket("/close", flood, {.max_queued = 200'000, .when_full = WhenFull::Close});
  TransportWebSocket peer = socket(64 * 1024);
  peer.connect("/drop");
  ASSERT_EQ(peer.next(), "text (100000)");
  peer.text("how many?");
  int count = 1;
  while (peer.next() == "text (100000)") ++count;
  EXPECT_EQ(peer.payload(), std::to_string(count));
  TransportWebSocket other = socket(64 * 1024);
  other.connect("/close");
  std::string last;
  while ((last = other.next()) == "text (100000)") {
  }
  EXPECT_EQ(last, "close 1008 too slow");
}

TEST_P(WebSocketFlow, a_silent_peer_is_asked_and_one_that_stays_silent_is_gone) {
  app.websocket("/", echo, {.ping = Milliseconds(30), .pong = Milliseconds(500)});
  TransportWebSocket peer = socket();
  peer.connect("/");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(peer.next(), "ping ");
    peer.send(frame(10, ""));
  }
  EXPECT_EQ(peer.next(), "ping ");
  EXPECT_TRUE(peer.is_gone());
  EXPECT_TRUE(no_sessions());
}

TEST_P(WebSocketFlow, a_peer_that_answers_a_ping_is_asked_again_after_the_same_while) {
  app.websocket("/", echo, {.ping = Milliseconds(10), .pong = Seconds(3600)});
  TransportWebSocket peer = socket();
  peer.connect("/");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(peer.next(), "ping ");
    peer.send(frame(10, ""));
  }
}

TEST_P(WebSocketFlow, a_drain_closes_with_1001_and_waits_for_the_answer) {
  app.websocket("/coroutine", echo);
  app.websocket("/object", [] { return Echo{}; });
  TransportWebSocket one = socket();
  TransportWebSocket two = socket();
  one.connect("/coroutine");
  two.connect("/object");
  running().drain();
  EXPECT_EQ(one.next(), "close 1001 the server stops");
  EXPECT_EQ(two.next(), "close 1001 the server stops");
  EXPECT_FALSE(two.comes_within(30));
  one.send(close(1001));
  two.send(close(1001));
  EXPECT_TRUE(one.ends());
  EXPECT_TRUE(two.ends());
  one.make_client().close();
  two.make_client().close();
  running().wait();
}

TEST_P(WebSocketFlow, a_drain_comes_in_the_midst_of_a_very_large_message_too) {
  app.websocket("/", [] { return Echo{}; });
  TransportWebSocket peer = socket();
  peer.connect("/");
  const std::string message = text(std::string(1'000'000, 'x'));
  peer.send(std::string_view(message).substr(0, 500'000));
  running().drain();
  EXPECT_EQ(peer.next(), "close 1001 the server stops");
  peer.send(std::string_view(message).substr(500'000));
  EXPECT_FALSE(peer.comes_within(30));
  peer.send(close(1001));
  EXPECT_TRUE(peer.ends());
  peer.make_client().close();
  running().wait();
}

TEST_P(WebSocketFlow, a_peer_that_does_not_answer_our_close_is_not_waited_for_long) {
  app.websocket("/", echo, {.close_timeout = Milliseconds(50)});
  TransportWebSocket peer = socket();
  peer.connect("/");
  running().drain();
  EXPECT_EQ(peer.next(), "close 1001 the server stops");
  EXPECT_TRUE(peer.is_gone());
  peer.make_client().close();
  running().wait();
}

TEST_P(WebSocketFlow, a_coroutine_that_waits_for_something_else_is_stopped_at_the_end_of_the_drain) {
  Event never;
  std::promise<bool> cancelled;
  app.websocket("/", [&](WebSocket) -> Task<> {
    try {
      co_await never;
    } catch (const Cancelled&) {
      cancelled.set_value(true);
      throw;
    }
  });
  TransportWebSocket peer = socket();
  peer.connect("/");
  running().drain(Milliseconds(50));
  EXPECT_TRUE(cancelled.get_future().get());
  running().wait();
}

TEST_P(WebSocketFlow, agrees_on_a_subprotocol_and_on_compression) {
  app.websocket("/",
                [](WebSocket socket) -> Task<> {
                  co_await socket.send(socket.protocol());
                  while (auto message = co_await socket.receive()) co_await socket.send(*message);
                },
                {.protocols = {"v2", "v1"}, .compression = Compression::Together});
  TransportWebSocket peer = socket();
  const ClientResponse& answer =
      peer.connect("/", {{"sec-websocket-protocol", "v1, v2"}, {"sec-websocket-extensions", "permessage-deflate"}});
  EXPECT_EQ(answer.field("sec-websocket-protocol"), "v2");
  EXPECT_EQ(peer.next(), "text v2");
  if (!websocket::deflate_available()) GTEST_SKIP() << "built without zlib";
  EXPECT_EQ(answer.field("sec-websocket-extensions"), "permessage-deflate");
  peer.text(std::string(1000, 'a'));
  EXPECT_EQ(peer.next(), "deflated text");
  EXPECT_LT(peer.payload().size(), 30U);
}

TEST_P(WebSocketFlow, what_is_published_reaches_those_who_have_subscribed) {
  app.websocket("/{filter...}", [](WebSocket socket, std::string filter) -> Task<> {
    socket.subscribe_filter(filter);
    socket.send("ready");
    while (auto message = co_await socket.receive()) socket.publish("room/7", message->content);
  });
  TransportWebSocket one = socket();
  TransportWebSocket two = socket();
  TransportWebSocket three = socket();
  for (auto [peer, path] : {std::pair{&one, "/room/7"}, std::pair{&two, "/room/+"}, std::pair{&three, "/room/8"}}) {
    EXPECT_EQ(peer->connect(path).status, opened());
    EXPECT_EQ(peer->next(), "text ready");
  }
  EXPECT_EQ(running().server().sockets().subscribers({"room/7"}), 1U);
  EXPECT_EQ(running().server().sockets().subscribers({"room/+", true}), 1U);
  EXPECT_EQ(running().server().sockets().subscribers({"room/+"}), 0U);
  one.text("hello");
  EXPECT_EQ(two.next(), "text hello");
  three.text("from the other room");
  EXPECT_EQ(one.next(), "text from the other room");
  EXPECT_EQ(two.next(), "text from the other room");
  running().server().sockets().publish({"room/8", "to eight"});
  EXPECT_EQ(three.next(), "text to eight");
  EXPECT_EQ(two.next(), "text to eight");
  one.send(close(1000));
  EXPECT_EQ(one.next(), "close 1000");
  EXPECT_TRUE(running().eventually([this] { return running().server().sockets().subscribers({"room/7"}) == 0; }));
}

TEST_P(WebSocketFlow, a_client_that_chooses_a_wildcard_as_its_topic_hears_no_other_topic) {
  app.websocket("/rooms/{room}", [](WebSocket socket, std::string room) -> Task<> {
    socket.subscribe("room/" + room);
    socket.send("ready");
    while (auto message = co_await socket.receive()) socket.publish("room/" + room, message->content);
  });
  TransportWebSocket plus = socket();
  TransportWebSocket hash = socket();
  TransportWebSocket member = socket();
  TransportWebSocket speaker = socket();
  for (auto [peer, path] : {std::pair{&plus, "/rooms/+"}, std::pair{&hash, "/rooms/%23"},
                            std::pair{&member, "/rooms/lobby"}, std::pair{&speaker, "/rooms/lobby"}}) {
    EXPECT_EQ(peer->connect(path).status, opened());
    EXPECT_EQ(peer->next(), "text ready");
  }
  speaker.text("for the lobby only");
  EXPECT_EQ(member.next(), "text for the lobby only");
  for (TransportWebSocket* spy : {&plus, &hash}) {
    spy->text("to all rooms");  // is refused, and closes the spy's WebSocket; a publication would precede that
    EXPECT_EQ(spy->next(), "close 1011");
  }
  speaker.text("still alone");
  EXPECT_EQ(member.next(), "text still alone");
}

TEST_P(WebSocketFlow, text_that_is_not_utf8_is_not_sent) {
  std::string error;
  app.websocket("/", [&error](WebSocket socket) -> Task<> {
    try {
      socket.send("caf\xE9");
    } catch (const std::invalid_argument& refused) {
      error = refused.what();
    }
    socket.send_binary("caf\xE9");
    socket.send("caf\xC3\xA9");
    socket.close(4000, "\xE9");
    co_return;
  });
  TransportWebSocket peer = socket();
  peer.connect("/");
  EXPECT_EQ(peer.next(), "binary caf\xE9");
  EXPECT_EQ(peer.next(), "text caf\xC3\xA9");
  EXPECT_EQ(peer.next(), "close 4000");
  EXPECT_EQ(error, "tern: a text message of a WebSocket is UTF-8; use send_binary() for other bytes");
}

TEST_P(WebSocketFlow, a_topic_and_a_filter_of_the_same_text_are_two_subscriptions) {
  app.websocket("/", [](WebSocket socket) -> Task<> {
    socket.subscribe("room/+");
    socket.subscribe_filter("room/+");
    socket.unsubscribe("room/+");
    socket.send("ready");
    co_await socket.receive();
    socket.unsubscribe_filter("room/+");
    socket.send("left");
    co_await socket.receive();
  });
  TransportWebSocket peer = socket();
  peer.connect("/");
  EXPECT_EQ(peer.next(), "text ready");
  running().server().sockets().publish({"room/7", "matches the filter"});
  EXPECT_EQ(peer.next(), "text matches the filter");
  peer.text("leave");
  EXPECT_EQ(peer.next(), "text left");
  EXPECT_EQ(running().server().sockets().subscribers({"room/+", true}), 0U);
}

TEST_P(WebSocketFlow, a_slow_subscriber_that_is_closed_may_publish_at_once) {
  app.websocket("/",
                [this](WebSocket socket) -> Task<> {
                  socket.subscribe("all");
                  socket.send("ready");
                  while (co_await socket.receive()) {
                  }
                  running().server().sockets().publish({"all", "one has left"});
                },
                {.max_queued = 200'000, .when_full = WhenFull::Close});
  TransportWebSocket slow = socket(64 * 1024);
  TransportWebSocket quick = socket();
  for (auto* peer : {&slow, &quick}) {
    peer->connect("/");
    EXPECT_EQ(peer->next(), "text ready");
  }
  const std::string big(100'000, 'x');
  std::string heard = "text (100000)";
  for (int i = 0; i < 1000 && heard == "text (100000)"; ++i) {
    running().server().sockets().publish({"all", big});
    heard = quick.next();
  }
  EXPECT_EQ(heard, "text one has left");
}

TEST_P(WebSocketFlow, many_slow_subscribers_are_closed_one_after_the_other) {
  app.websocket("/",
                [this](WebSocket socket) -> Task<> {
                  socket.subscribe("all");
                  socket.send("ready");
                  while (co_await socket.receive()) {
                  }
                  running().server().sockets().publish({"all", std::string(60'000, 'y')});
                },
                {.max_queued = 50'000, .when_full = WhenFull::Close});
  std::vector<TransportWebSocket> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(socket(4 * 1024));
    slow.back().connect("/");
    ASSERT_EQ(slow.back().next(), "text ready");
  }
  const std::string big(200'000, 'x');
  for (int i = 0; i < 40; ++i) running().server().sockets().publish({"all", big});
  slow.clear();
  EXPECT_TRUE(no_sessions());
}

TEST_P(WebSocketFlow, a_sender_that_waits_ends_with_the_side_of_its_peer) {
  SendStatus last = SendStatus::Sent;
  WebSocket kept;
  app.websocket("/",
                [&](WebSocket socket) -> Task<> {
                  kept = socket;
                  const std::string big(50'000, 'x');
                  while (last == SendStatus::Sent) last = co_await socket.send(big);
                },
                {.max_queued = 100'000});
  TransportWebSocket peer = socket(4 * 1024);
  peer.connect("/");
  ASSERT_TRUE(running().eventually([&] { return kept.queued() > 30'000; }));
  peer.make_client().end_side();
  EXPECT_TRUE(running().eventually([&] { return last == SendStatus::Closed; }));
  peer.make_client().close();
  EXPECT_TRUE(no_sessions());
}

TEST_P(WebSocketFlow, a_close_is_answered_although_messages_were_kept) {
  app.websocket("/", [this](WebSocket socket) -> Task<> {
    co_await gate.pass();
    socket.close(4001, "enough");
  });
  TransportWebSocket peer = socket();
  peer.connect("/");
  for (int i = 0; i < 40; ++i) peer.text("message");
  ASSERT_TRUE(gate.await(1));
  peer.send(close(4001));
  gate.open();
  EXPECT_EQ(peer.next(), "close 4001 enough");
  EXPECT_TRUE(peer.ends());
  EXPECT_TRUE(no_sessions());
}

TEST_P(WebSocketFlow, what_is_published_is_deflated_for_those_who_want_it) {
  if (!websocket::deflate_available()) GTEST_SKIP() << "built without zlib";
  app.websocket("/",
                [](WebSocket socket) -> Task<> {
                  socket.subscribe("all");
                  socket.send("ready");
                  while (auto message = co_await socket.receive()) co_await socket.send(*message);
                },
                {.compression = Compression::Together});
  TransportWebSocket plain = socket();
  plain.connect("/");
  TransportWebSocket small = socket();
  small.connect("/", {{"sec-websocket-extensions", "permessage-deflate; server_max_window_bits=10"}});
  TransportWebSocket large = socket();
  large.connect("/", {{"sec-websocket-extensions", "permessage-deflate"}});
  for (auto* peer : {&plain, &small, &large}) EXPECT_EQ(peer->next(), "text ready");
  const std::string message(500, 'm');
  websocket::Inflater small_window(10);
  websocket::Inflater large_window(15);
  const auto check = [&](TransportWebSocket& peer, websocket::Inflater& inflater) {
    EXPECT_EQ(peer.next(), "deflated text");
    std::string inflated;
    EXPECT_EQ(inflater.inflate(peer.payload(), inflated, 1000), websocket::InflateResult::Done);
    EXPECT_EQ(inflated, message);
  };
  for (int round = 0; round < 3; ++round) {
    running().server().sockets().publish({"all", message});
    EXPECT_EQ(plain.next(), "text (500)");
    check(small, small_window);
    check(large, large_window);
    large.text(message);  // what is its own may refer to nothing before what was published
    check(large, large_window);
  }
}

}  // namespace
}  // namespace tern::testing
