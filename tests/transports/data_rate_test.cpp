// Peers that take nothing for a while, as a telephone in a tunnel: WebSockets and event streams are patient.
#include "transports/websocket_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace tern::testing {
namespace {

class DataRate : public WebSocketsTest {
protected:
  static constexpr Milliseconds soon{50};

  // When this returns, others have been refused three times because they were below the least rate: the grace of those
  // who were there before is over.
  void await_refusals() {
    for (int i = 0; i < 3; ++i) {
      TransportClient other = make_client();
      other.begin("/echo", "01234", {{"content-length", "10"}});
      ASSERT_EQ(other.answer().status, 408);
    }
  }

  std::atomic<int> code = 0;
};
INSTANTIATE_TEST_SUITE_P(Over, DataRate, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

// Fills all buffers on the way to a peer that does not read.
struct FastSender {
  explicit FastSender(std::atomic<int>& closed_with) : code(closed_with) {}
  void message(WebSocket& socket, MessageView) {
    for (int i = 0; i < 200; ++i) socket.send(std::string(100'000, 'x'));
  }
  void close(WebSocket&, std::uint16_t why, std::string_view) { code = why; }

  std::atomic<int>& code;
};

TEST_P(DataRate, a_websocket_that_is_not_read_for_a_while_goes_on) {
  settings.grace = soon;
  const auto talker = [this] { return FastSender(code); };
  app.websocket("/wait", talker, {.when_full = WhenFull::Wait});
  app.websocket("/drop", talker, {.when_full = WhenFull::Drop});
  for (const char* path : {"/wait", "/drop"}) {
    TransportWebSocket peer = socket(4096);
    EXPECT_EQ(peer.connect(path).status, opened());
    peer.text("go");
    ASSERT_TRUE(peer.comes_within(5000));
    await_refusals();
    for (int i = 0; i < 5; ++i) ASSERT_EQ(peer.next(), "text (100000)") << path;
  }
}

TEST_P(DataRate, a_websocket_that_is_never_read_ends_when_its_ping_is_not_answered) {
  settings.min_data_rate = 0;  // so that nothing else ends it
  const auto talker = [this] { return FastSender(code); };
  app.websocket("/wait", talker, {.when_full = WhenFull::Wait, .ping = soon, .pong = soon});
  app.websocket("/drop", talker, {.when_full = WhenFull::Drop, .ping = soon, .pong = soon});
  for (const char* path : {"/wait", "/drop"}) {
    code = 0;
    TransportWebSocket peer = socket(4096);
    peer.connect(path);
    peer.text("go");
    EXPECT_TRUE(no_sessions()) << path;
    EXPECT_EQ(code, 1006) << path;
  }
}

TEST_P(DataRate, a_websocket_that_is_read_slowly_is_there_although_its_pong_is_late) {
  settings.grace = soon;
  app.websocket("/", [this] { return FastSender(code); },
                {.max_queued = 4'000'000, .ping = Milliseconds(400), .pong = Milliseconds(400)});
  TransportWebSocket peer = socket(4096);
  peer.connect("/");
  peer.text("go");
  for (int i = 0; i < 20; ++i) {  // for several periods, far from the ping behind what is queued
    ASSERT_EQ(peer.next(), "text (100000)") << i;
    TransportClient other = make_client();
    other.begin("/echo", "01234", {{"content-length", "10"}});
    ASSERT_EQ(other.answer().status, 408);
  }
  EXPECT_EQ(code, 0);
}

Response events() {
  return event_stream([](EventStream& events) -> Task<> {
    const std::string data(10'000, 'x');
    for (int i = 0; i < 1000; ++i) co_await events.send(ServerEvent{.data = data});
  });
}

TEST_P(DataRate, an_event_stream_that_is_not_read_for_a_while_goes_on) {
  settings.grace = soon;
  app.get("/events", events);
  TransportClient peer = make_client(64 * 1024);
  peer.get("/events");
  ASSERT_TRUE(peer.until([](const ClientResponse& response) { return response.status == 200; }));
  await_refusals();
  EXPECT_TRUE(peer.answer().complete);
}

TEST_P(DataRate, an_event_stream_that_stalls_is_closed) {
  settings.grace = soon;
  settings.stall_timeout = soon;
  app.get("/events", events);
  TransportClient peer = make_client(64 * 1024);
  peer.get("/events");
  ASSERT_TRUE(peer.until([](const ClientResponse& response) { return response.status == 200; }));
  EXPECT_TRUE(all_ended());
  EXPECT_FALSE(peer.answer().complete);
}

}  // namespace
}  // namespace tern::testing
