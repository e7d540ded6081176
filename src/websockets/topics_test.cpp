#include "websockets/topics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tern::websockets {
namespace {

struct Reader final : Subscriber {
  int received = 0;
};

// Counts the deliveries to each reader.
class TopicsTest : public ::testing::Test {
protected:
  ~TopicsTest() override {
    for (auto& reader : readers) topics.remove_all(*reader, [](const http::TopicFilter&) {});
  }
  Reader& reader(std::initializer_list<const char*> filters) {
    readers.push_back(std::make_unique<Reader>());
    for (const char* filter : filters) EXPECT_TRUE(topics.add(http::parse_filter(filter), *readers.back())) << filter;
    return *readers.back();
  }
  int received(Reader& by, std::string_view topic) {
    by.received = 0;
    topics.match(topic, [](Subscriber& one) { ++static_cast<Reader&>(one).received; });
    return by.received;
  }

  Topics topics;
  std::vector<std::unique_ptr<Reader>> readers;
};

TEST_F(TopicsTest, a_filter_without_wildcards_matches_itself) {
  Reader& one = reader({"room/7"});
  EXPECT_EQ(received(one, "room/7"), 1);
  for (const char* other : {"room", "room/", "room/7/", "room/77", "/room/7", ""}) EXPECT_EQ(received(one, other), 0);
}

TEST_F(TopicsTest, plus_is_one_level_and_hash_all_that_are_left) {
  Reader& plus = reader({"room/+/news"});
  EXPECT_EQ(received(plus, "room/7/news"), 1);
  EXPECT_EQ(received(plus, "room//news"), 1);
  EXPECT_EQ(received(plus, "room/7/8/news"), 0);
  EXPECT_EQ(received(plus, "room/news"), 0);
  Reader& hash = reader({"room/#"});
  for (const char* topic : {"room", "room/", "room/7", "room/7/8"}) EXPECT_EQ(received(hash, topic), 1) << topic;
  for (const char* topic : {"rooms", "roo", "x/room"}) EXPECT_EQ(received(hash, topic), 0) << topic;
  Reader& all = reader({"#"});
  Reader& mixed = reader({"+/a/#"});
  EXPECT_EQ(received(all, "x"), 1);
  EXPECT_EQ(received(all, "x/y/z"), 1);
  EXPECT_EQ(received(mixed, "x/a"), 1);
  EXPECT_EQ(received(mixed, "x/a/b/c"), 1);
  EXPECT_EQ(received(mixed, "x/b"), 0);
}

TEST_F(TopicsTest, who_has_several_filters_that_match_gets_it_once) {
  Reader& one = reader({"a/b", "a/+", "a/#", "#", "+/b"});
  EXPECT_EQ(received(one, "a/b"), 1);
  EXPECT_FALSE(topics.add({"a/+", true}, one));
}

TEST_F(TopicsTest, who_has_left_gets_nothing_and_the_others_still_do) {
  std::vector<Reader*> all;
  for (int i = 0; i < 5; ++i) all.push_back(&reader({"t", "w/+"}));
  for (const int gone : {1, 4, 0}) {
    EXPECT_TRUE(topics.remove({"t"}, *all[static_cast<std::size_t>(gone)]));
    EXPECT_TRUE(topics.remove({"w/+", true}, *all[static_cast<std::size_t>(gone)]));
  }
  EXPECT_FALSE(topics.remove({"t"}, *all[0]));
  EXPECT_FALSE(topics.remove({"other"}, *all[2]));
  for (const int i : {0, 1, 2, 3, 4}) {
    const int expected = i == 2 || i == 3 ? 1 : 0;
    EXPECT_EQ(received(*all[static_cast<std::size_t>(i)], "t"), expected) << i;
    EXPECT_EQ(received(*all[static_cast<std::size_t>(i)], "w/x"), expected) << i;
  }
}

TEST_F(TopicsTest, a_literal_topic_has_no_wildcards) {
  Reader& one = reader({});
  for (const char* topic : {"+", "#", "room/+", "room/#"}) {
    EXPECT_TRUE(topics.add({topic}, one));
    EXPECT_TRUE(topics.add({topic, true}, one));
    EXPECT_TRUE(topics.remove({topic, true}, one));
    EXPECT_EQ(received(one, "room/7"), 0) << topic;
    EXPECT_EQ(received(one, topic), 1) << topic;
    EXPECT_FALSE(topics.remove({topic, true}, one));
    EXPECT_TRUE(topics.remove({topic}, one));
    EXPECT_EQ(received(one, topic), 0) << topic;
  }
}

TEST_F(TopicsTest, one_that_is_reached_may_leave_and_publish) {
  Reader& one = reader({"t", "left"});
  Reader& two = reader({"t", "left"});
  Reader& three = reader({"t", "left"});
  std::vector<std::pair<Subscriber*, std::string>> reached;
  topics.match("t", [&](Subscriber& first) {
    reached.emplace_back(&first, "t");
    if (&first != &two) return;
    topics.remove_all(two, [](const http::TopicFilter&) {});
    topics.match("left", [&](Subscriber& second) { reached.emplace_back(&second, "left"); });
  });
  const std::vector<std::pair<Subscriber*, std::string>> expected = {
      {&one, "t"}, {&two, "t"}, {&one, "left"}, {&three, "left"}, {&three, "t"}};
  EXPECT_EQ(reached, expected);
}

// By the definition, applied to each filter separately.
bool matches(std::string_view filter, std::string_view topic) {
  const auto first = [](std::string_view text) { return text.substr(0, text.find('/')); };
  while (true) {
    const std::string_view level = first(filter);
    if (level == "#") return true;
    if (level != "+" && level != first(topic)) return false;
    const bool filter_ends = level.size() == filter.size();
    const bool topic_ends = first(topic).size() == topic.size();
    filter.remove_prefix(std::min(filter.size(), level.size() + 1));
    if (topic_ends) return filter_ends || filter == "#";
    if (filter_ends) return false;
    topic.remove_prefix(first(topic).size() + 1);
  }
}

TEST_F(TopicsTest, agree_with_the_definition_whatever_comes_and_goes) {
  std::mt19937 random(7);
  const auto text = [&random](bool filter) {
    std::string out;
    const unsigned levels = 1 + static_cast<unsigned>(random() % 3);
    for (unsigned i = 0; i < levels; ++i) {
      if (i != 0) out += '/';
      const unsigned kind = static_cast<unsigned>(random() % (filter ? 5 : 3));
      if (kind == 3) out += '+';
      if (kind < 3) out += "abc"[kind];
      if (kind == 4) return out + '#';
    }
    return out;
  };
  std::vector<std::vector<std::string>> filters(8);
  for (int i = 0; i < 8; ++i) reader({});
  for (int round = 0; round < 3000; ++round) {
    const auto who = static_cast<std::size_t>(random() % 8);
    if (filters[who].size() > 3 || (!filters[who].empty() && random() % 2 == 0)) {
      ASSERT_TRUE(topics.remove(http::parse_filter(filters[who].back()), *readers[who]));
      filters[who].pop_back();
    } else if (const std::string filter = text(true); topics.add(http::parse_filter(filter), *readers[who])) {
      filters[who].push_back(filter);
    }
    const std::string topic = text(false);
    for (std::size_t i = 0; i < 8; ++i) {
      const bool expected = std::ranges::any_of(filters[i], [&](const auto& one) { return matches(one, topic); });
      ASSERT_EQ(received(*readers[i], topic), expected ? 1 : 0) << round << ' ' << topic;
    }
  }
}

}  // namespace
}  // namespace tern::websockets
