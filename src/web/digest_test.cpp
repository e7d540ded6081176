#include "web/digest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace tern::web {
namespace {

// The fastest of many comparisons.
std::chrono::nanoseconds time_of(const std::string& a, const std::string& b) {
  auto fastest = std::chrono::nanoseconds::max();
  for (int i = 0; i < 50; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const bool equal = equal_in_constant_time(a, b);
    const auto end = std::chrono::steady_clock::now();
    EXPECT_EQ(equal, a == b);
    fastest = std::min(fastest, std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin));
  }
  return fastest;
}

// A comparison that stops at the first difference would be faster by a factor of a thousand.
TEST(EqualInConstantTime, does_not_tell_where_texts_differ) {
  const std::string secret(256 * 1024, 's');
  std::string early = secret;
  early.front() = 'x';
  std::string late = secret;
  late.back() = 'x';
  const auto equal = time_of(secret, std::string(secret));
  EXPECT_GT(time_of(secret, early) * 3, equal);
  EXPECT_GT(time_of(secret, late) * 3, equal);
  EXPECT_GT(equal * 3, time_of(secret, early));
}

TEST(EqualInConstantTime, compares_all_bytes_and_the_size) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
  EXPECT_FALSE(equal_in_constant_time("a", "ab"));
  EXPECT_FALSE(equal_in_constant_time(std::string("a\0b", 3), std::string("a\0c", 3)));
}

}  // namespace
}  // namespace tern::web
