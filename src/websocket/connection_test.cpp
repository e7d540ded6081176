#include "websocket/connection.hpp"

#include "websocket/feed.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::websocket {
namespace {

using testing::binary;
using testing::feed_every_way;
using testing::fragments;
using testing::frame;
using testing::text;

TEST(WebSocketConnection, takes_messages_of_every_kind) {
  const auto outcome =
      feed_every_way(text("hello") + binary(std::string("\0\xFF", 2)) + text("") + text("\xE2\x82\xAC"));
  EXPECT_EQ(outcome.transcript, "text hello\nbinary " + std::string("\0\xFF", 2) + "\ntext \ntext \xE2\x82\xAC\n");
  EXPECT_EQ(outcome.sent, "");
}

TEST(WebSocketConnection, takes_every_form_of_length) {
  for (const std::size_t size : {125U, 126U, 127U, 65535U, 65536U, 70000U}) {
    const std::string payload(size, 'x');
    const std::size_t cuts[] = {1, 3, 9, 15, 100};
    EXPECT_EQ(testing::feed(text(payload) + text("end"), cuts).transcript,
              "text (" + std::to_string(size) + ")\ntext end\n")
        << size;
  }
}

TEST(WebSocketConnection, puts_fragments_together) {
  for (const std::size_t size : {1U, 2U, 3U, 7U}) {
    EXPECT_EQ(feed_every_way(fragments(1, "a \xE2\x82\xAC is a euro", size) + text("next")).transcript,
              "text a \xE2\x82\xAC is a euro\ntext next\n");
  }
  EXPECT_EQ(feed_every_way(frame(2, "", {.fin = false}) + frame(0, "", {.fin = false}) + frame(0, "")).transcript,
            "binary \n");
}

TEST(WebSocketConnection, answers_pings_between_fragments) {
  const auto outcome = feed_every_way(frame(1, "a", {.fin = false}) + frame(9, "now") + frame(0, "b") + frame(9, "") +
                                      frame(10, "unasked"));
  EXPECT_EQ(outcome.transcript, "text ab\n");
  EXPECT_EQ(outcome.sent, "pong now\npong \n");
}

TEST(WebSocketConnection, shows_a_message_in_one_frame_without_a_copy) {
  const Limits limits;
  Connection connection(limits);
  std::string bytes = text("hello");
  std::string out;
  connection.receive(bytes);
  ASSERT_EQ(connection.next(out), Event::Message);
  EXPECT_EQ(connection.message().data(), bytes.data() + 6);
  EXPECT_EQ(connection.take_message(), "hello");
  EXPECT_EQ(connection.next(out), Event::NeedMore);
}

TEST(WebSocketConnection, gives_a_collected_message_away_without_a_copy) {
  const Limits limits;
  Connection connection(limits);
  std::string bytes = fragments(2, std::string(5000, 'x'), 1000);
  std::string out;
  connection.receive(bytes);
  ASSERT_EQ(connection.next(out), Event::Message);
  const void* before = connection.message().data();
  const std::string message = connection.take_message();
  EXPECT_EQ(message.data(), before);
  EXPECT_EQ(connection.next(out), Event::NeedMore);
  bytes = fragments(1, "and again", 2);
  connection.receive(bytes);
  ASSERT_EQ(connection.next(out), Event::Message);
  EXPECT_EQ(connection.message(), "and again");
}

TEST(WebSocketConnection, writes_messages_and_pings) {
  const Limits limits;
  Connection connection(limits);
  std::string out;
  connection.write(out, Opcode::Text, "one");
  connection.write(out, Opcode::Binary, "two");
  connection.ping(out, "three");
  EXPECT_EQ(testing::read_frames(out), "text one\nbinary two\nping three\n");
}

}  // namespace
}  // namespace tern::websocket
