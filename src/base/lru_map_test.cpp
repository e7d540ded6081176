#include <tern/base/lru_map.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <unordered_map>

namespace tern::base {
namespace {

TEST(LruMap, has_what_was_put_last) {
  LruMap<int> map(10'000);
  EXPECT_EQ(map.find("a"), nullptr);
  EXPECT_TRUE(map.put("a", 1, 0));
  EXPECT_TRUE(map.put("b", 2, 0));
  EXPECT_TRUE(map.put("a", 3, 0));
  EXPECT_EQ(*map.find("a"), 3);
  EXPECT_EQ(*map.find("b"), 2);
  EXPECT_EQ(map.size(), 2U);
  EXPECT_TRUE(map.erase("a"));
  EXPECT_FALSE(map.erase("a"));
  EXPECT_EQ(map.find("a"), nullptr);
}

TEST(LruMap, drops_the_least_recently_used) {
  LruMap<int> map(3500);
  for (const char* key : {"a", "b", "c"}) map.put(key, 0, 1000);
  EXPECT_NE(map.find("a"), nullptr);
  map.put("d", 0, 1000);
  EXPECT_NE(map.find("a"), nullptr);
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_NE(map.find("c"), nullptr);
  EXPECT_LE(map.bytes(), 3500U);
}

TEST(LruMap, refuses_what_exceeds_the_bound_by_itself_and_forgets_what_it_replaces) {
  LruMap<int> map(1000);
  map.put("a", 1, 0);
  map.put("b", 2, 0);
  EXPECT_FALSE(map.put("a", 3, 1000));
  EXPECT_EQ(map.find("a"), nullptr);
  EXPECT_EQ(*map.find("b"), 2);
  EXPECT_FALSE(map.put(std::string(1000, 'k'), 4, 0));
}

TEST(LruMap, counts_its_keys) {
  LruMap<int> map(100'000);
  for (int i = 0; i < 1000; ++i) map.put(std::string(900, 'k') + std::to_string(i), i, 0);
  EXPECT_LE(map.size(), 110U);
  EXPECT_LE(map.bytes(), 100'000U);
  EXPECT_NE(map.find(std::string(900, 'k') + "999"), nullptr);
}

TEST(LruMap, removes_by_a_condition) {
  LruMap<int> map(100'000);
  for (int i = 0; i < 100; ++i) map.put(std::to_string(i), i, 0);
  EXPECT_EQ(map.erase_if([](int value) { return value % 2 == 0; }), 50U);
  EXPECT_EQ(map.size(), 50U);
  EXPECT_EQ(map.find("4"), nullptr);
  EXPECT_EQ(*map.find("5"), 5);
  map.clear();
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(map.bytes(), 0U);
}

TEST(LruMap, destroys_its_values) {
  const auto value = std::make_shared<int>(1);
  {
    LruMap<std::shared_ptr<int>> map(1000);
    for (int i = 0; i < 100; ++i) map.put(std::to_string(i), value, 0);
    EXPECT_EQ(static_cast<std::size_t>(value.use_count()), map.size() + 1);
  }
  EXPECT_EQ(value.use_count(), 1);
}

TEST(LruMap, agrees_with_a_map_without_a_bound) {
  std::mt19937 random(7);
  LruMap<unsigned> map(1'000'000);
  std::unordered_map<std::string, unsigned> expected;
  for (int step = 0; step < 20'000; ++step) {
    const std::string key = std::to_string(random() % 500);
    if (random() % 3 == 0) {
      EXPECT_EQ(map.erase(key), expected.erase(key) == 1);
    } else {
      const auto value = static_cast<unsigned>(random());
      map.put(key, value, 0);
      expected[key] = value;
    }
  }
  EXPECT_EQ(map.size(), expected.size());
  for (const auto& [key, value] : expected) {
    ASSERT_NE(map.find(key), nullptr);
    EXPECT_EQ(*map.find(key), value);
  }
}

}  // namespace
}  // namespace tern::base
