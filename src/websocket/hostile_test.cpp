// Violations of RFC 6455: each ends with its close code, however the bytes are split.
#include "websocket/feed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace tern::websocket {
namespace {

using testing::close;
using testing::close_payload;
using testing::feed_every_way;
using testing::FeedOptions;
using testing::frame;
using testing::text;

// Frames before the violation are answered; later ones are not read.
void expect_refused(const std::string& bytes, unsigned code, std::string_view why, const FeedOptions& options = {}) {
  const std::string end = std::to_string(code) + ' ' + std::string(why) + '\n';
  const auto outcome = feed_every_way(text("before") + bytes + text("behind"), options);
  EXPECT_EQ(outcome.transcript, "text before\nclosed " + end);
  EXPECT_EQ(outcome.sent, "close " + end);
}

TEST(WebSocketHostile, unmasked_frames) {
  expect_refused(frame(1, "a", {.masked = false}), 1002, "unmasked frame");
  expect_refused(frame(8, "", {.masked = false}), 1002, "unmasked frame");
}

TEST(WebSocketHostile, reserved_bits) {
  for (const unsigned rsv : {0x40U, 0x20U, 0x10U, 0x70U}) {
    expect_refused(frame(1, "a", {.rsv = rsv}), 1002, "a reserved bit is set");
    expect_refused(frame(9, "a", {.rsv = rsv}), 1002, "a reserved bit is set");
  }
}

TEST(WebSocketHostile, reserved_opcodes) {
  for (const unsigned opcode : {3U, 4U, 5U, 6U, 7U, 11U, 12U, 13U, 14U, 15U}) {
    expect_refused(frame(opcode, "a"), 1002, "reserved opcode");
  }
}

TEST(WebSocketHostile, control_frames_that_are_long_or_fragmented) {
  for (const unsigned opcode : {8U, 9U, 10U}) {
    expect_refused(frame(opcode, std::string(126, 'x')), 1002, "control frame with more than 125 bytes");
    expect_refused(frame(opcode, "", {.fin = false}), 1002, "fragmented control frame");
  }
}

TEST(WebSocketHostile, lengths_that_are_longer_than_they_need_be) {
  expect_refused(frame(2, std::string(125, 'x'), {.length_form = 126}), 1002, "length not in its shortest form");
  expect_refused(frame(2, std::string(125, 'x'), {.length_form = 127}), 1002, "length not in its shortest form");
  expect_refused(frame(2, std::string(300, 'x'), {.length_form = 127}), 1002, "length not in its shortest form");
}

TEST(WebSocketHostile, a_length_with_the_highest_bit) {
  expect_refused(std::string("\x82\xFF\x80\0\0\0\0\0\0\x01mask", 14), 1002, "length with the highest bit set");
  expect_refused(std::string("\x82\xFF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFFmask", 14), 1009, "message too big");
}

TEST(WebSocketHostile, fragments_out_of_order) {
  expect_refused(frame(0, "a"), 1002, "continuation of nothing");
  expect_refused(frame(0, "a", {.fin = false}), 1002, "continuation of nothing");
  expect_refused(frame(0, "a", {.masked = false}), 1002, "continuation of nothing");
  expect_refused(frame(1, "a", {.fin = false}) + text("b"), 1002, "new message before the end of the last");
}

TEST(WebSocketHostile, text_that_is_not_utf_8) {
  for (const std::string_view bad :
       {"\x80", "\xC0\xAF", "a\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80"}) {
    expect_refused(text(bad), 1007, "text that is not UTF-8");
    expect_refused(testing::fragments(1, bad, 1), 1007, "text that is not UTF-8");
  }
  EXPECT_EQ(feed_every_way(testing::binary("\x80")).transcript, "binary \x80\n");
}

TEST(WebSocketHostile, bad_close_frames) {
  expect_refused(frame(8, "\x03"), 1002, "close frame of one byte");
  expect_refused(close(1005), 1002, "invalid close code");
  expect_refused(frame(8, close_payload(1000, "\xC3")), 1007, "text that is not UTF-8");
}

TEST(WebSocketHostile, messages_above_the_limit) {
  const FeedOptions options{.limits = {.message = 20}};
  EXPECT_EQ(feed_every_way(text(std::string(20, 'x')), options).transcript, "text " + std::string(20, 'x') + "\n");
  EXPECT_EQ(feed_every_way(testing::fragments(1, std::string(20, 'x'), 7), options).transcript,
            "text " + std::string(20, 'x') + "\n");
  expect_refused(text(std::string(21, 'x')), 1009, "message too big", options);
  expect_refused(testing::fragments(1, std::string(21, 'x'), 7), 1009, "message too big", options);
}

TEST(WebSocketHostile, a_message_that_is_announced_takes_memory_as_it_comes) {
  const Limits limits{.message = 1U << 30U};
  Connection connection(limits);
  std::string bytes = std::string("\x82\xFF\0\0\0\0\x3F\xFF\xFF\xFF", 10) + "mask" + std::string(100, 'x');
  std::string out;
  connection.receive(bytes);
  EXPECT_EQ(connection.next(out), Event::NeedMore);
  EXPECT_EQ(connection.consumed(), bytes.size());
  EXPECT_LT(connection.take_message().capacity(), 1000U);
}

}  // namespace
}  // namespace tern::websocket
