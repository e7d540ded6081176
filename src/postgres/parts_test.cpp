// Publications as notifications.
#include "postgres/parts.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>

#include <string>
#include <string_view>
#include <vector>

namespace tern::postgres {
namespace {

class PostgresParts : public ::testing::Test {
protected:
  bool add(std::string_view payload) {
    return assembly.add(payload, "own", [this](const Publication& publication) {
      delivered.push_back(std::string(publication.topic) + (publication.is_text ? " t " : " b ") +
                          std::string(publication.content));
    });
  }

  Assembly assembly{1024 * 1024};
  std::vector<std::string> delivered;
};

TEST_F(PostgresParts, are_put_together) {
  for (const std::size_t size : std::initializer_list<std::size_t>{0, 1, 2, 3, 5690, 5700, 5701, 20'000}) {
    std::string content;
    for (std::size_t i = 0; i < size; ++i) content += static_cast<char>(i % 251);
    for (const std::string& part : divide({"a/b", content, false}, "other", size)) {
      EXPECT_LT(part.size(), 8000U);
      EXPECT_TRUE(add(part));
    }
    ASSERT_EQ(delivered.size(), 1U) << size;
    EXPECT_EQ(delivered[0], "a/b b " + content);
    delivered.clear();
  }
}

TEST_F(PostgresParts, of_several_senders_may_be_mixed) {
  const std::string content(12'000, 'x');
  const auto one = divide({"1", content, true}, "one", 7);
  const auto two = divide({"2", content, true}, "two", 7);
  for (std::size_t i = 0; i < one.size(); ++i) {
    add(one[i]);
    add(two[i]);
  }
  EXPECT_EQ(delivered, (std::vector<std::string>{"1 t " + content, "2 t " + content}));
}

TEST_F(PostgresParts, that_are_incomplete_are_not_delivered) {
  const auto parts = divide({"1", std::string(20'000, 'x'), true}, "one", 7);
  add(parts[0]);
  add(parts[2]);
  add(parts[3]);
  EXPECT_TRUE(delivered.empty());
  add(divide({"1", "y", true}, "one", 8)[0]);
  EXPECT_EQ(delivered, std::vector<std::string>{"1 t y"});
}

TEST_F(PostgresParts, of_this_server_are_skipped) {
  EXPECT_TRUE(add(divide({"1", "x", true}, "own", 1)[0]));
  EXPECT_TRUE(delivered.empty());
}

TEST_F(PostgresParts, that_are_too_large_together_are_not_kept) {
  for (const std::string& part : divide({"1", std::string(2 * 1024 * 1024, 'x'), true}, "one", 1)) add(part);
  EXPECT_TRUE(delivered.empty());
}

TEST_F(PostgresParts, that_are_malformed_are_refused) {
  for (const char* wrong : {"", "a", "a.1.0.1.t", "a.1.0.1.x.YQ==", "a.1.1.1.t.YQ==", "a.1.0.1.t.YQ=", "a.1.0.1.t.====",
                            "a.1.0.1.t.Y?==", "a.1.0.1.t.YQ=="}) {
    EXPECT_FALSE(add(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace tern::postgres
