// permessage-deflate (RFC 7692): messages in both directions, and malicious input.
#include "websocket/deflate.hpp"

#include "websocket/feed.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::websocket {
namespace {

using testing::feed;
using testing::feed_every_way;
using testing::FeedOptions;
using testing::frame;

class WebSocketDeflate : public ::testing::Test {
protected:
  void SetUp() override {
    if (!deflate_available()) GTEST_SKIP() << "built without zlib";
  }
};

std::string deflated(std::string_view message, int bits = 15) {
  Deflater deflater(bits);
  std::string out;
  deflater.deflate(message, out);
  return out;
}

std::string compressed(std::string_view payload, unsigned opcode = 1) {
  return frame(opcode, payload, {.rsv = 0x40});
}

FeedOptions agreed(std::size_t limit = 1 << 20, bool client_context_takeover = true) {
  FeedOptions options{.limits = {.message = limit}, .deflate = DeflateParameters{}};
  options.deflate->client_context_takeover = client_context_takeover;
  return options;
}

TEST_F(WebSocketDeflate, reads_the_examples_of_rfc_7692) {
  const std::string one("\xf2\x48\xcd\xc9\xc9\x07\x00", 7);
  EXPECT_EQ(feed_every_way(compressed(one), agreed()).transcript, "text Hello\n");
  const std::string first = frame(1, one.substr(0, 3), {.fin = false, .rsv = 0x40});
  EXPECT_EQ(feed_every_way(first + frame(9, "") + frame(0, one.substr(3)), agreed()).transcript, "text Hello\n");
  // A message with context takeover; a stored block; a final block; two blocks.
  EXPECT_EQ(feed_every_way(compressed(one) + compressed(std::string("\xf2\x00\x11\x00\x00", 5)), agreed()).transcript,
            "text Hello\ntext Hello\n");
  EXPECT_EQ(
      feed_every_way(compressed(std::string("\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00", 11)), agreed()).transcript,
      "text Hello\n");
  EXPECT_EQ(feed_every_way(compressed(std::string("\xf3\x48\xcd\xc9\xc9\x07\x00\x00", 8)), agreed()).transcript,
            "text Hello\n");
  EXPECT_EQ(
      feed_every_way(compressed(std::string("\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00", 13)), agreed())
          .transcript,
      "text Hello\n");
}

TEST_F(WebSocketDeflate, takes_messages_that_are_not_compressed_beside_those_that_are) {
  EXPECT_EQ(feed_every_way(testing::text("plain") + compressed(deflated("small")) + testing::binary("b"), agreed())
                .transcript,
            "text plain\ntext small\nbinary b\n");
  EXPECT_EQ(feed(compressed(std::string(1, '\0')), {}, agreed()).transcript, "text \n");
}

TEST_F(WebSocketDeflate, without_takeover_each_message_stands_alone) {
  const auto options = agreed(1 << 20, false);
  const std::string one = compressed(deflated("hello hello hello"));
  EXPECT_EQ(feed_every_way(one + one, options).transcript, "text hello hello hello\ntext hello hello hello\n");
  const std::string back_reference("\xf2\x00\x11\x00\x00", 5);
  EXPECT_EQ(
      feed(compressed(std::string("\xf2\x48\xcd\xc9\xc9\x07\x00", 7)) + compressed(back_reference), {}, options).sent,
      "close 1007 malformed compressed message\n");
}

TEST_F(WebSocketDeflate, bombs_end_at_the_limit) {
  const std::string bomb = deflated(std::string(50 << 20, '\0'));
  ASSERT_LT(bomb.size(), 60'000U);
  for (const bool takeover : {true, false}) {
    EXPECT_EQ(feed(compressed(bomb, 2), {}, agreed(100'000, takeover)).sent, "close 1009 message too big\n");
  }
  Inflater inflater(15);
  std::string out;
  EXPECT_EQ(inflater.inflate(bomb, out, 100'000), InflateResult::TooLarge);
  EXPECT_LE(out.capacity(), 262'144U);
}

TEST_F(WebSocketDeflate, a_message_is_inflated_in_steps_where_the_budget_is_small) {
  std::string mixed;
  for (int i = 0; i < 20'000; ++i) mixed += std::to_string(i * 7919);
  for (const bool takeover : {true, false}) {
    FeedOptions options = agreed(1'000'000, takeover);
    const std::string bomb = compressed(deflated(std::string(1'000'000, 'x')));
    const std::string input =
        bomb + compressed(deflated(mixed)) + testing::text("plain") + compressed(deflated("short")) + bomb;
    const auto whole = feed(input, {}, options);
    EXPECT_EQ(whole.deferrals, 0U);
    for (const std::size_t budget : {std::size_t{1}, std::size_t{5000}, std::size_t{64 * 1024}}) {
      options.inflation_budget = budget;
      const auto divided = feed(input, {}, options);
      EXPECT_EQ(divided, whole) << budget;
      EXPECT_GE(divided.deferrals, 2'000'000 / (budget + 8192)) << budget;
      const std::size_t cuts[] = {1, 500, 1100, 1500};
      EXPECT_EQ(feed(input, cuts, options), whole) << budget;
    }
  }
}

TEST_F(WebSocketDeflate, faults_are_found_in_steps) {
  FeedOptions options = agreed(100'000, true);
  options.inflation_budget = 5000;
  EXPECT_EQ(feed(compressed(deflated(std::string(1'000'000, 'x'))), {}, options).sent, "close 1009 message too big\n");
  std::string broken = deflated(std::string(50'000, 'x') + "end");
  broken.back() = static_cast<char>(broken.back() ^ 0x7F);
  broken += "\x06";
  EXPECT_EQ(feed(compressed(broken), {}, options).sent, "close 1007 malformed compressed message\n");
  EXPECT_EQ(feed(compressed(deflated(std::string(50'000, 'x') + '\xFF')), {}, options).sent,
            "close 1007 text that is not UTF-8\n");
}

TEST_F(WebSocketDeflate, a_close_gives_up_what_is_being_inflated) {
  for (const bool takeover : {true, false}) {
    SharedCodecs shared;
    const FeedOptions options = agreed(1'000'000, takeover);
    Connection connection(options.limits, std::make_unique<Codec>(*options.deflate, shared));
    connection.set_inflation_budget(1000);
    std::string bytes = compressed(deflated(std::string(1'000'000, 'x')));
    std::string out;
    connection.receive(bytes);
    EXPECT_EQ(connection.next(out), Event::Deferred);
    EXPECT_TRUE(connection.inflating());
    connection.close(out, Normal, {});
    EXPECT_FALSE(connection.inflating());
    std::string rest = compressed(deflated("dropped")) + testing::close(1000);
    connection.receive(rest);
    EXPECT_EQ(connection.next(out), Event::Closed);
  }
}

TEST_F(WebSocketDeflate, there_may_be_no_limit) {
  Inflater inflater(15);
  std::string out;
  EXPECT_EQ(inflater.inflate(deflated(std::string(3'000'000, 'x')), out, static_cast<std::size_t>(-1)),
            InflateResult::Done);
  EXPECT_EQ(out, std::string(3'000'000, 'x'));
}

TEST_F(WebSocketDeflate, the_limit_is_that_of_the_inflated_message_to_the_byte) {
  std::string noise;  // grows slightly when deflated
  std::uint32_t state = 1;
  for (int i = 0; i < 10'000; ++i) noise.push_back(static_cast<char>((state = state * 1664525U + 1013904223U) >> 24U));
  ASSERT_GT(deflated(noise).size(), noise.size());
  EXPECT_EQ(feed(compressed(deflated(noise), 2), {}, agreed(noise.size())).transcript, "binary (10000)\n");
  EXPECT_EQ(feed(compressed(deflated(noise), 2), {}, agreed(noise.size() - 1)).sent, "close 1009 message too big\n");
}

TEST_F(WebSocketDeflate, malformed_and_truncated_messages_are_rejected) {
  EXPECT_EQ(feed_every_way(compressed("\xFF\xFF\xFF"), agreed()).sent, "close 1007 malformed compressed message\n");
  const std::string whole = deflated(std::string(200, 'a') + "some text that does not repeat itself much");
  unsigned refused = 0;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const auto outcome = feed(compressed(whole.substr(0, size)), {}, agreed());
    refused += outcome.sent == "close 1007 malformed compressed message\n" ? 1U : 0U;
  }
  EXPECT_EQ(refused, whole.size() - 1);
  EXPECT_EQ(feed(compressed(deflated("bad \x80 text")), {}, agreed()).sent, "close 1007 text that is not UTF-8\n");
  EXPECT_EQ(feed(frame(1, "a", {.fin = false}) + frame(0, "b", {.rsv = 0x40}), {}, agreed()).sent,
            "close 1002 a reserved bit is set\n");
}

TEST_F(WebSocketDeflate, what_is_written_can_be_read_with_and_without_takeover) {
  for (const bool takeover : {true, false}) {
    for (const int bits : {9, 12, 15}) {
      SharedCodecs shared;
      DeflateParameters parameters;
      parameters.server_context_takeover = takeover;
      parameters.server_window_bits = bits;
      const Limits limits;
      Connection connection(limits, std::make_unique<Codec>(parameters, shared));
      Inflater peer(bits);
      std::size_t sizes[2] = {};
      for (int round = 0; round < 2; ++round) {
        std::string message;
        for (int i = 0; i < 3000; ++i) message += std::to_string(i * i) + (i % 7 == 0 ? "\n" : ",");
        std::string out;
        connection.write(out, Opcode::Text, message);
        ASSERT_EQ(testing::read_frames(out), "deflated text\n");
        std::string payload = out.substr(out.size() < 65536 + 4 ? 4 : 10);
        std::string inflated;
        ASSERT_EQ(peer.inflate(payload, inflated, message.size()), InflateResult::Done);
        ASSERT_EQ(inflated, message);
        if (!takeover) peer.reset();
        sizes[round] = payload.size();
      }
      if (takeover && bits == 15) {
        EXPECT_LT(sizes[1] * 2, sizes[0]);
      }
      if (!takeover) {
        EXPECT_EQ(sizes[1], sizes[0]);
      }
    }
  }
}

// A frame that was deflated once for many connections moves the peer's window: the deflater must not refer to earlier
// messages.
TEST_F(WebSocketDeflate, a_frame_made_elsewhere_can_come_between) {
  SharedCodecs shared;
  Codec codec(DeflateParameters{}, shared);
  Inflater peer(15);
  const auto check = [&](std::string_view payload, const std::string& message) {
    std::string inflated;
    ASSERT_EQ(peer.inflate(payload, inflated, 1000), InflateResult::Done);
    ASSERT_EQ(inflated, message);
  };
  const std::string message(80, 'a');
  std::string out;
  codec.deflate(message, out);
  check(out, message);
  EXPECT_TRUE(codec.accepts_window(15));
  codec.reset_deflater();
  check(deflated("for all"), "for all");
  out.clear();
  codec.deflate(message + "b", out);
  check(out, message + "b");
}

}  // namespace
}  // namespace tern::websocket
