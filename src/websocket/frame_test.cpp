#include "websocket/frame.hpp"

#include <gtest/gtest.h>

namespace tern::websocket {
namespace {

std::string head_for(std::uint64_t length) {
  std::string out;
  append_frame_head(out, Opcode::Binary, length);
  return out;
}

TEST(WebSocketFrame, writes_each_length_in_its_shortest_form) {
  EXPECT_EQ(head_for(0), std::string("\x82\x00", 2));
  EXPECT_EQ(head_for(125), "\x82\x7D");
  EXPECT_EQ(head_for(126), std::string("\x82\x7E\x00\x7E", 4));
  EXPECT_EQ(head_for(65535), "\x82\x7E\xFF\xFF");
  EXPECT_EQ(head_for(65536), std::string("\x82\x7F\x00\x00\x00\x00\x00\x01\x00\x00", 10));
}

TEST(WebSocketFrame, writes_the_examples_of_rfc_6455) {
  std::string out;
  append_frame(out, Opcode::Text, "Hello");
  append_frame(out, Opcode::Ping, "Hello");
  EXPECT_EQ(out, "\x81\x05Hello\x89\x05Hello");
  out.clear();
  append_frame(out, Opcode::Text, "x", true);
  EXPECT_EQ(out, "\xC1\x01x");
}

TEST(WebSocketFrame, reads_the_example_of_rfc_6455) {
  FrameHead head;
  EXPECT_EQ(read_frame_head("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", {}, head), Fault::None);
  EXPECT_EQ(head.size, 6U);
  EXPECT_EQ(head.length, 5U);
  EXPECT_EQ(head.opcode, Opcode::Text);
  EXPECT_TRUE(head.fin);
}

}  // namespace
}  // namespace tern::websocket
