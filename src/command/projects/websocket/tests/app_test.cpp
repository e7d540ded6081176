#include "app.hpp"

#include <gtest/gtest.h>
#include <tern/testing.hpp>

TEST(Chat, messages_reach_the_members_of_a_room) {
  tern::App app;
  add_routes(app);
  tern::testing::Client client(app);
  auto ada = client.websocket("/rooms/lobby");
  auto grace = client.websocket("/rooms/lobby");
  auto other = client.websocket("/rooms/other");
  ada.send("hello");
  EXPECT_EQ(ada.receive_text(), "hello");
  EXPECT_EQ(grace.receive_text(), "hello");
  other.send("alone");
  EXPECT_EQ(other.receive_text(), "alone");
}
