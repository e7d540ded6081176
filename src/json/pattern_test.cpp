// Patterns are matched as RE2 matches them, by whatever engine.

#include "json/pattern.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using tern::json::detail::Pattern;
using enum Pattern::Engine;

bool finds(const re2::RE2& regex, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex);
}

void expect_engine(Pattern::Engine engine, const std::vector<std::string_view>& expressions) {
  for (const std::string_view expression : expressions) {
    const Pattern pattern(expression);
    EXPECT_EQ(pattern.error(), "") << expression;
    EXPECT_EQ(pattern.engine(), engine) << expression;
  }
}

TEST(Pattern, matches_sequences_of_runs_greedily) {
  expect_engine(Runs, {"^[0-9]{13}$", "^[A-Z]{2}-[0-9]{4,6}$", R"(^\+?[0-9 ]{7,15}$)", "^#[0-9a-fA-F]{6}$",
                       "^[a-z.]+@[a-z.]+$", "^", "^$", "^a", R"(^\w+\s\d*?$)", "^(?:ab){3}(c)$", "^.{1,20}$",
                       "^[^/]+/[^/]*$", "^[a-zA-Z_][a-zA-Z0-9_]*$"});
}

TEST(Pattern, matches_alternatives_groups_and_searches_by_an_automaton) {
  expect_engine(Automaton, {"^[a-z0-9]+(?:-[a-z0-9]+)*$", R"(^(\d{3}|\d{5})$)", "red|green|blue", "[0-9]", "a$", "",
                            R"(^[^@]+@[^@]+\.[^@]+$)", "^[a-z]{1,40}[a-z0-9]$", "^(|a)$", "(?:)"});
}

TEST(Pattern, leaves_the_rest_to_re2) {
  expect_engine(
      Re2, {"(?i)abc", R"(\bword\b)", R"(^\pL+$)", "^[[:alpha:]]+$", "^\u00FC$", R"(^\x41$)", "a|b$", "^a|b", "^[]a]$",
            "^(?:[a-z]{1,63}\\.){1,8}$", "^.*a.{500}$", "^[\u00E4-\u00FC]$", "a{,3}", R"(\Aa\z)", "(?P<name>a)"});
}

TEST(Pattern, says_what_is_malformed) {
  for (const std::string_view expression : {"(", "[a", "a{2}{3}", "a**", "\\", "[z-a]", "a{1001}", "(?<n", "\xFF"}) {
    EXPECT_NE(Pattern(expression).error(), "") << expression;
  }
}

TEST(Pattern, takes_ends_lines_and_characters_beyond_ascii_as_re2_does) {
  const std::vector<std::string> texts = {"",
                                          "a",
                                          "a\n",
                                          "\na",
                                          "ab",
                                          "\u00FC",
                                          "a\u00FC",
                                          "\u00FCa",
                                          "\xFF",
                                          "a\xFF",
                                          "\xC3",
                                          "\n",
                                          std::string("\0", 1),
                                          std::string("a\0b", 3),
                                          "\U0001F600",
                                          "\xED\xA0\x80",
                                          "a\u00FCb",
                                          "aaa",
                                          "\u00FC\u00FC",
                                          "^",
                                          "$",
                                          "-",
                                          "]",
                                          "a-]"};
  for (const std::string_view expression :
       {"^a$",           "^.$",          "^.*$",      "^[^a]$", "^[^a]+$", "[^a]",      ".",      "^a.?$",
        "^a.",           "a.*b",         "^\\W$",     "\\S\\W", "^..$",    "^[^\\n]*$", "^.{2}$", "^(?:.|\\n)*$",
        "^(?:a|[^a]b)$", "^[-\\]^$a]+$", "^[a-]*]?$", "^a*$",   "^a",      "a$",        "$",      "^"}) {
    const Pattern pattern(expression);
    ASSERT_EQ(pattern.error(), "") << expression;
    EXPECT_NE(pattern.engine(), Re2) << expression;
    const re2::RE2 regex(re2::StringPiece(expression.data(), expression.size()));
    for (const std::string& text : texts) {
      EXPECT_EQ(pattern.is_in(text), finds(regex, text)) << expression << " in " << testing::PrintToString(text);
    }
  }
}

// --- Random expressions and texts
// --------------------------------------------------------------------------------------

class RandomText {
public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return random_() % count; }

  std::string of(const std::vector<std::string_view>& pieces, std::size_t max_pieces) {
    std::string text;
    for (std::size_t i = below(max_pieces + 1); i > 0; --i) text += pieces[below(pieces.size())];
    return text;
  }

private:
  std::mt19937 random_;
};

const std::vector<std::string_view> any_pieces = {
    "a",      "b",   "0",      "-",    "[", "]", "^",  "$",   "(",   ")",   "|",   "*",    "+",
    "?",      "{1}", "{0,2}",  "{2,}", ",", ".", "\\", "\\d", "\\w", "\\S", "\\n", "[ab]", "[^a]",
    "[a-c0]", "(?:", "\u00FC", "\n",   "_", "{", "}",  " ",   "\\-", "[^",  "\\.", ":"};

// Of well-formed pieces, so that most are expressions.
std::string random_expression(RandomText& random, int depth) {
  const std::vector<std::string_view> atoms = {"a",      "b",   "0",   "-",   ".",        "[ab]", "[^a]",
                                               "[a-c0]", "\\d", "\\w", "\\W", "[b\\d_-]", "\\n",  "[0-9]"};
  const std::vector<std::string_view> counts = {"",    "",      "",      "",     "*",  "+",  "?",
                                                "{2}", "{0,2}", "{1,3}", "{2,}", "*?", "{0}"};
  std::string text;
  for (std::size_t i = random.below(4) + 1; i > 0; --i) {
    if (depth > 0 && random.below(4) == 0) {
      text += (random.below(2) == 0 ? "(" : "(?:") + random_expression(random, depth - 1);
      while (random.below(3) == 0) text += "|" + random_expression(random, depth - 1);
      text += ")";
    } else {
      text += atoms[random.below(atoms.size())];
    }
    text += counts[random.below(counts.size())];
  }
  return text;
}

TEST(Pattern, agrees_with_re2_on_random_expressions_and_texts) {
  const std::vector<std::string_view> letters = {"a", "b",  "c",      "0",  "7", "-",   "_",
                                                 " ", "\n", "\u00FC", "ab", "]", "\xFF"};
  RandomText random(19);
  re2::RE2::Options options;
  options.set_log_errors(false);
  std::size_t by_engine[3] = {};
  std::size_t by_result[2] = {};
  for (int i = 0; i < 600; ++i) {
    std::string expression = i % 4 == 0 ? random.of(any_pieces, 6) : random_expression(random, 2);
    if (random.below(3) != 0) expression = "^" + expression;
    if (random.below(3) != 0) expression += "$";
    const re2::RE2 regex(expression, options);
    const Pattern pattern(expression);
    ASSERT_EQ(pattern.error().empty(), regex.ok()) << expression;
    if (!regex.ok()) continue;
    ++by_engine[static_cast<std::size_t>(pattern.engine())];
    for (int j = 0; j < 30; ++j) {
      const std::string text = random.of(letters, 7);
      const bool expected = finds(regex, text);
      ASSERT_EQ(pattern.is_in(text), expected) << expression << " in " << testing::PrintToString(text);
      if (pattern.engine() != Re2) ++by_result[expected ? 1 : 0];
    }
  }
  EXPECT_GT(by_engine[0], 50U);
  EXPECT_GT(by_engine[1], 150U);
  EXPECT_GT(by_result[0], 1'500U);
  EXPECT_GT(by_result[1], 1'500U);
}

// Of characters that the expressions have, and of others, so that many match up to some byte.
TEST(Pattern, agrees_with_re2_on_texts_of_every_length) {
  RandomText random(72);
  const std::pair<std::string_view, std::string_view> expressions[] = {
      {"^[a-z]+$", "abcxyz"},
      {"^[a-z.]+@[a-z.]+$", "abc.z"},
      {"^[a-z]{0,12}@[a-z.]{2,30}$", "abz."},
      {"^[A-Z]{2}-[0-9]{4,50}$", "0123456789"},
      {"^[^@]*@[^@]*$", "a b\x7F\x01z"},
      {"^[^a]*$", "b\x7F"},
      {"^\\W+$", " -\x7F\x01"},
      {"^[!-~]*[ ]*$", "a!~"},
      {"^\\d*[^\\d]$", "0123"},
      {"^[a-c0-2A-C_.:;=?~]+$", "abc012ABC_.:;=?~"},
      {"^[ace13579BDF]+$", "ace13579BDF"},
      {"^[acegikmoqsuwy13579]+$", "acegikmoqsuwy13579"},
      {"^a{9}b*", "aaaaab"},
  };
  std::size_t by_result[2] = {};
  for (const auto& [expression, characters] : expressions) {
    const Pattern pattern(expression);
    ASSERT_EQ(pattern.error(), "") << expression;
    EXPECT_EQ(pattern.engine(), Runs) << expression;
    const re2::RE2 regex(re2::StringPiece(expression.data(), expression.size()));
    for (std::size_t size = 0; size <= 80; ++size) {
      for (int i = 0; i < 20; ++i) {
        std::string text;
        while (text.size() < size) text += characters[random.below(characters.size())];
        if (size != 0 && i % 4 != 0) text[random.below(size)] = '@';
        if (size > 2 && i % 5 == 0) text.replace(0, 3, "AB-");
        if (size != 0 && i % 3 == 0) text[random.below(size)] = static_cast<char>(random.below(256));
        const bool expected = finds(regex, text);
        ASSERT_EQ(pattern.is_in(text), expected) << expression << " in " << testing::PrintToString(text);
        ++by_result[expected ? 1 : 0];
      }
    }
  }
  EXPECT_GT(by_result[0], 3'000U);
  EXPECT_GT(by_result[1], 3'000U);
}

TEST(Pattern, costs_a_step_for_each_byte) {
  const std::string text(2'000'000, 'a');
  const std::pair<std::string_view, bool> expected[] = {{"^(?:a|aa)+$", true},
                                                        {"^(?:a*)*b$", false},
                                                        {"^[a-z]+[0-9]$", false},
                                                        {"^(?:(?:a{0,9}){0,9})*$", true},
                                                        {"b|(?:a|a)*c", false}};
  for (const auto& [expression, is_found] : expected) {
    const Pattern pattern(expression);
    EXPECT_NE(pattern.engine(), Re2) << expression;
    EXPECT_EQ(pattern.is_in(text), is_found) << expression;
  }
}

}  // namespace
