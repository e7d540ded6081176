#include "websockets/topic_deflater.hpp"

#include "websocket/deflate.hpp"
#include "websockets/socket_bus.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace tern::websockets {
namespace {

class TopicDeflaterTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (!websocket::deflate_available()) GTEST_SKIP() << "built without zlib";
  }
  std::size_t frames(std::string_view topic, std::size_t size = 1000) {
    return deflater.deflate({topic, std::string(size, 'x')}).size();
  }

  TopicDeflater deflater;
};

TEST_F(TopicDeflaterTest, deflates_for_subscribers_with_compression) {
  EXPECT_EQ(frames("a"), 0U);
  deflater.subscribed({"a"}, 0);  // uncompressed
  EXPECT_EQ(frames("a"), 0U);
  deflater.subscribed({"a"}, 15);
  EXPECT_EQ(frames("a"), 1U);
  EXPECT_EQ(frames("b"), 0U);
  EXPECT_EQ(frames("a", 64), 1U);
  EXPECT_EQ(frames("a", 63), 0U);
  deflater.unsubscribed({"a"}, 15);
  EXPECT_EQ(frames("a"), 0U);
  deflater.subscribed({"+/c", true}, 15);
  EXPECT_EQ(frames("b"), 1U);
  deflater.unsubscribed({"+/c", true}, 15);
  EXPECT_EQ(frames("b"), 0U);
  deflater.subscribed({"+"}, 15);  // a literal
  EXPECT_EQ(frames("b"), 0U);
  EXPECT_EQ(deflater.deflations(), 3U);
}

TEST_F(TopicDeflaterTest, a_longer_window_gets_its_own_where_it_is_better) {
  deflater.subscribed({"a"}, 10);
  deflater.subscribed({"a"}, 15);
  EXPECT_EQ(frames("a", 762), 1U);
  EXPECT_EQ(frames("a", 763), 2U);
  FramedPublication publication({"a", std::string(5000, 'x')}, deflater);
  ASSERT_EQ(publication.deflated.size(), 2U);
  EXPECT_EQ(publication.deflated_for(0), nullptr);
  EXPECT_EQ(publication.deflated_for(9), nullptr);
  EXPECT_EQ(publication.deflated_for(10), &publication.deflated[0].frame);
  EXPECT_EQ(publication.deflated_for(14), &publication.deflated[0].frame);
  EXPECT_EQ(publication.deflated_for(15), &publication.deflated[1].frame);
  EXPECT_GT(publication.bytes(), 5000 + publication.deflated[0].frame.size() + publication.deflated[1].frame.size());
}

TEST_F(TopicDeflaterTest, refers_to_nothing_before) {
  deflater.subscribed({"a"}, 15);
  const auto first = deflater.deflate({"a", std::string(1000, 'x')});
  const auto again = deflater.deflate({"a", std::string(1000, 'x')});
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(first[0].frame, again[0].frame);
}

TEST_F(TopicDeflaterTest, serves_several_publishers_at_once) {
  deflater.subscribed({"a"}, 15);
  const std::string content(2000, 'x');
  const std::string expected = deflater.deflate({"a", content}).at(0).frame;
  {
    std::vector<std::jthread> publishers;
    for (int t = 0; t < 4; ++t) {
      publishers.emplace_back([&] {
        for (int i = 0; i < 200; ++i) EXPECT_EQ(deflater.deflate({"a", content}).at(0).frame, expected);
      });
    }
  }
  EXPECT_EQ(deflater.deflations(), 801U);
}

}  // namespace
}  // namespace tern::websockets
