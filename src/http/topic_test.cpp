#include "http/topic.hpp"

#include <tern/http/websocket.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tern::http {
namespace {

TEST(Topic, a_filter_without_wildcards_is_the_literal_topic) {
  EXPECT_EQ(parse_filter("room/7"), literal_filter("room/7"));
  EXPECT_FALSE(parse_filter("room/7").has_wildcards);
  EXPECT_TRUE(parse_filter("room/+").has_wildcards);
  EXPECT_FALSE(literal_filter("room/+").has_wildcards);
}

TEST(Topic, refuses_what_is_not_a_filter) {
  for (const char* bad : {"", "a+", "+a/b", "a/#/b", "a/b#", "##"})
    EXPECT_THROW(parse_filter(bad), std::invalid_argument);
  EXPECT_THROW(parse_filter(std::string(1025, 'x')), std::invalid_argument);
  std::string deep = "a";
  for (int i = 0; i < 64; ++i) deep += "/a";
  EXPECT_THROW(parse_filter(deep), std::invalid_argument);
  EXPECT_NO_THROW(parse_filter(std::string_view(deep).substr(2)));
}

TEST(Topic, refuses_what_is_not_a_topic) {
  EXPECT_THROW(literal_filter(""), std::invalid_argument);
  EXPECT_THROW(literal_filter(std::string(1025, 'x')), std::invalid_argument);
  EXPECT_NO_THROW(literal_filter(std::string(1024, 'x')));
}

TEST(Topic, cannot_be_published_to_with_wildcards) {
  for (const char* bad : {"", "+", "#", "room/+", "room/#", "C++"}) {
    EXPECT_FALSE(is_topic(bad)) << bad;
    EXPECT_THROW(check_publication({bad, "text"}), std::invalid_argument) << bad;
  }
  for (const char* good : {"room", "room/7", "/", "room//7"}) {
    EXPECT_TRUE(is_topic(good)) << good;
    EXPECT_NO_THROW(check_publication({good, "text"})) << good;
  }
}

TEST(Topic, the_error_names_the_rule_and_the_text) {
  try {
    const std::string topic = "room/+" + std::string(200, 'x');
    check_publication({topic, "text"});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("without the wildcards '+' and '#': \"room/+xxx"));
    EXPECT_THAT(error.what(), ::testing::EndsWith("x\"..."));
  }
}

TEST(Topic, text_that_is_published_is_utf8) {
  EXPECT_THROW(check_publication({"room", "\xE9"}), std::invalid_argument);
  EXPECT_NO_THROW(check_publication({"room", "\xC3\xA9"}));
  EXPECT_NO_THROW(check_publication({"room", "\xE9", false}));
}

TEST(Topic, a_handle_without_websocket_checks_its_arguments_too) {
  const WebSocket closed;
  EXPECT_THROW(closed.publish("room/+", "text"), std::invalid_argument);
  EXPECT_THROW(closed.subscribe(""), std::invalid_argument);
  EXPECT_THROW(closed.subscribe_filter("a+"), std::invalid_argument);
  EXPECT_NO_THROW(closed.publish("room", "text"));
  EXPECT_THROW(closed.publish("room", "\xE9"), std::invalid_argument);
  EXPECT_THROW(closed.send("\xE9"), std::invalid_argument);
  EXPECT_NO_THROW(closed.send_binary("\xE9"));
}

}  // namespace
}  // namespace tern::http
