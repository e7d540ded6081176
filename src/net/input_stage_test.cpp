#include "net/input_stage.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tern::net {
namespace {

constexpr std::size_t room = 8;

class InputStageTest : public ::testing::Test {
private:
  auto consume() {
    return [this](std::span<const char> bytes) {
      delivered.emplace_back(bytes.data(), bytes.size());
      return std::min(takes, bytes.size());
    };
  }

protected:
  void deliver(std::string_view fresh) {
    std::string buffer(room, '.');
    buffer += fresh;
    stage.deliver(std::span(buffer).subspan(room), room, consume(), [this] { return open; });
  }
  void redeliver() { stage.redeliver(consume()); }

  InputStage stage;
  std::vector<std::string> delivered;
  std::size_t takes = 0;  // bytes of the next deliveries that are consumed
  bool open = true;
};

TEST_F(InputStageTest, delivers_unconsumed_bytes_in_front_of_the_next_ones) {
  takes = 1;
  deliver("abc");
  deliver("def");
  takes = 100;
  deliver("ghi");
  EXPECT_EQ(delivered, (std::vector<std::string>{"abc", "bcdef", "cdefghi"}));
  EXPECT_TRUE(stage.empty());
}

TEST_F(InputStageTest, appends_to_more_bytes_than_there_is_room_for) {
  deliver("0123456789");
  deliver("0123456789ab");
  takes = 30;
  deliver("c");
  EXPECT_EQ(delivered.back(), "01234567890123456789abc");
  EXPECT_TRUE(stage.empty());
}

TEST_F(InputStageTest, delivers_again_what_it_keeps) {
  redeliver();
  EXPECT_TRUE(delivered.empty());
  deliver("abc");
  stage.schedule_redelivery();
  EXPECT_TRUE(stage.is_redelivery_due());
  takes = 2;
  redeliver();
  EXPECT_FALSE(stage.is_redelivery_due());
  EXPECT_EQ(delivered, (std::vector<std::string>{"abc", "abc"}));
  stage.schedule_redelivery();
  deliver("d");
  EXPECT_FALSE(stage.is_redelivery_due());
  EXPECT_EQ(delivered.back(), "cd");
}

TEST_F(InputStageTest, keeps_nothing_of_a_stream_that_ended_meanwhile) {
  open = false;
  deliver("abc");
  EXPECT_TRUE(stage.empty());
}

}  // namespace
}  // namespace tern::net
