#include "base/utf8_checker.hpp"

#include <tern/base/utf8.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace tern::base {
namespace {

bool check_in_two(std::string_view text, std::size_t cut) {
  Utf8Checker checker;
  return checker.feed(text.substr(0, cut)) && checker.feed(text.substr(cut)) && checker.complete();
}

bool check_byte_by_byte(std::string_view text) {
  Utf8Checker checker;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!checker.feed(text.substr(i, 1))) return false;
  }
  return checker.complete();
}

// Pieces of valid and invalid text, so that all kinds of sequences are adjacent to each other.
std::string random_text(std::mt19937& random) {
  static constexpr std::string_view pieces[] = {"a",
                                                "\x7F",
                                                "\xC2\xA9",
                                                "\xE2\x82\xAC",
                                                "\xED\x9F\xBF",
                                                "\xF0\x9F\x98\x80",
                                                "\xF4\x8F\xBF\xBF",
                                                "\xE0\xA0\x80",
                                                "\x80",
                                                "\xC0",
                                                "\xED\xA0\x80",
                                                "\xF4\x90",
                                                "\xE2\x82",
                                                "\xF0\x9F",
                                                "\xF0\x80\x80\x80"};
  std::string text;
  const auto count = random() % 6;
  const auto kinds = random() % 3 == 0 ? std::size(pieces) : 8;
  for (unsigned i = 0; i < count; ++i) text += pieces[random() % kinds];
  if (random() % 4 == 0) text.insert(random() % (text.size() + 1), std::string(100, 'x'));
  return text;
}

TEST(Utf8Checker, agrees_with_the_whole_text_however_it_is_cut) {
  std::mt19937 random(6455);
  unsigned good = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_text(random);
    const bool right = is_utf8(text);
    good += right ? 1U : 0U;
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
      ASSERT_EQ(check_in_two(text, cut), right) << round << ' ' << cut;
    ASSERT_EQ(check_byte_by_byte(text), right) << round;
  }
  EXPECT_GT(good, 1000U);
  EXPECT_LT(good, 2900U);
}

TEST(Utf8Checker, long_and_short_texts_are_held_to_the_same_rules) {
  std::mt19937 random(3629);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_text(random);
    if (text.size() >= 64) continue;
    ASSERT_EQ(is_utf8(text), is_utf8(std::string(80, ' ') + text)) << round;
  }
}

TEST(Utf8Checker, fails_at_the_first_byte_that_nothing_can_mend) {
  for (const std::string_view text : {"\xE0\x80", "\xED\xA0", "\xF0\x8F", "\xF4\x90", "\xC0", "\xF5", "a\x80"}) {
    Utf8Checker checker;
    EXPECT_FALSE(checker.feed(text)) << text.size();
  }
  for (const std::string_view text : {"\xE0\xA0", "\xED\x9F", "\xF0\x90\x80", "\xF4\x8F", "\xC2"}) {
    Utf8Checker checker;
    EXPECT_TRUE(checker.feed(text));
    EXPECT_FALSE(checker.complete());
  }
}

TEST(Utf8Checker, begins_anew_after_a_reset) {
  Utf8Checker checker;
  EXPECT_TRUE(checker.feed("\xE2\x82"));
  checker.reset();
  EXPECT_TRUE(checker.feed("a"));
  EXPECT_TRUE(checker.complete());
}

}  // namespace
}  // namespace tern::base
