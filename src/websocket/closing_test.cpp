// The closing handshake (RFC 6455, section 7).
#include "websocket/feed.hpp"

#include <gtest/gtest.h>

namespace tern::websocket {
namespace {

using testing::close;
using testing::feed_every_way;
using testing::frame;
using testing::text;

TEST(WebSocketClosing, a_close_is_answered_with_its_code) {
  auto outcome = feed_every_way(close(1000, "bye \xE2\x82\xAC"));
  EXPECT_EQ(outcome.transcript, "closed 1000 bye \xE2\x82\xAC\n");
  EXPECT_EQ(outcome.sent, "close 1000\n");
  outcome = feed_every_way(frame(8, ""));
  EXPECT_EQ(outcome.transcript, "closed 1005\n");
  EXPECT_EQ(outcome.sent, "close\n");
}

TEST(WebSocketClosing, bytes_after_a_close_are_not_read) {
  EXPECT_EQ(feed_every_way(text("a") + close(1001) + text("b") + "nonsense").transcript, "text a\nclosed 1001\n");
}

TEST(WebSocketClosing, codes_are_those_of_the_registry_and_of_applications) {
  for (const unsigned code : {1000U, 1001U, 1002U, 1003U, 1007U, 1011U, 1012U, 1014U, 3000U, 3999U, 4000U, 4999U}) {
    EXPECT_EQ(feed_every_way(close(code)).sent, "close " + std::to_string(code) + "\n");
  }
  for (const unsigned code : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 1100U, 2000U, 2999U, 5000U, 65535U}) {
    EXPECT_EQ(feed_every_way(close(code)).sent, "close 1002 invalid close code\n") << code;
  }
}

struct Closing {
  Connection connection{limits};
  std::string out;
  static constexpr Limits limits = {};

  Event feed(std::string bytes) {
    connection.receive(bytes);
    return connection.next(out);
  }
};

TEST(WebSocketClosing, ours_is_complete_with_the_peers_answer) {
  Closing peer;
  peer.connection.close(peer.out, 4000, "enough");
  EXPECT_TRUE(peer.connection.closing());
  EXPECT_FALSE(peer.connection.may_write());
  peer.connection.write(peer.out, Opcode::Text, "too late");
  peer.connection.ping(peer.out, "");
  peer.connection.close(peer.out, 1000, "twice");
  EXPECT_EQ(testing::read_frames(peer.out), "close 4000 enough\n");
  peer.out.clear();
  EXPECT_EQ(peer.feed(text("still here") + frame(9, "ping") + frame(1, "a", {.fin = false})), Event::NeedMore);
  EXPECT_EQ(peer.feed(frame(0, "b") + close(4000)), Event::Closed);
  EXPECT_EQ(peer.connection.close_code(), 4000);
  EXPECT_TRUE(peer.connection.closed());
  EXPECT_EQ(peer.out, "");
}

TEST(WebSocketClosing, what_is_dropped_after_ours_keeps_no_memory) {
  Closing peer;
  EXPECT_EQ(peer.feed(frame(2, std::string(1000, 'x'), {.fin = false})), Event::NeedMore);
  peer.connection.close(peer.out, 1000, "");
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(peer.feed(frame(0, std::string(1000, 'x'), {.fin = false})), Event::NeedMore);
  EXPECT_EQ(peer.feed(frame(0, "")), Event::NeedMore);
  EXPECT_EQ(peer.connection.message(), "");
  EXPECT_EQ(peer.feed(close(1000)), Event::Closed);
}

TEST(WebSocketClosing, a_breach_after_ours_is_not_told_again) {
  Closing peer;
  peer.connection.close(peer.out, 1000, "");
  peer.out.clear();
  EXPECT_EQ(peer.feed(frame(3, "")), Event::Closed);
  EXPECT_EQ(peer.out, "");
  EXPECT_EQ(peer.connection.close_code(), ProtocolError);
}

TEST(WebSocketClosing, a_long_reason_is_cut_between_characters) {
  Closing peer;
  std::string reason(122, 'x');
  reason += "\xE2\x82\xAC";
  peer.connection.close(peer.out, 1000, reason);
  EXPECT_EQ(testing::read_frames(peer.out), "close 1000 " + std::string(122, 'x') + "\n");
}

}  // namespace
}  // namespace tern::websocket
