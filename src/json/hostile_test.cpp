// Invalid, deep, large and malicious documents.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tern/json/json.hpp>

#include "json/read_testing.hpp"

namespace {

struct Item {
  std::string name;
  std::optional<double> price;
};
struct Order {
  std::int64_t id;
  std::vector<Item> items;
  std::map<std::string, bool> flags;
};
struct Chain {
  std::unique_ptr<Chain> next;
};
struct Nothing {};
struct Nest;
using Nests = std::vector<Nest>;
struct Nest {
  Nests nests;
};

}  // namespace

namespace tern::json {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out.append(text);
  return out;
}

// Reads from memory that ends with the text, so that a sanitizer detects reads beyond it.
template <class T>
std::string exactly(std::string_view text) {
  const std::unique_ptr<char[]> copy(new char[text.size()]);
  std::memcpy(copy.get(), text.data(), text.size());
  return problems_of<T>(std::string_view(copy.get(), text.size()));
}

TEST(JsonHostile, a_text_that_is_a_null_view_is_not_json) {
  const auto read = tern::json::read<int>(std::string_view());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, tern::json::ErrorKind::Syntax);
}

TEST(JsonHostile, refuses_what_is_not_json) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "the text is empty"},
      {" \n", "the text is empty"},
      {"nul", "a word is neither true, false nor null"},
      {"True", "the text is not JSON"},
      {"NaN", "the text is not JSON"},
      {"{} x", "the text is not JSON"},
      {"1 2", "the text is not JSON"},
      {"[1,]", "the text is not JSON"},
      {"{\"a\":1,}", "the text is not JSON"},
      {"{a:1}", "the text is not JSON"},
      {"{'a':1}", "the text is not JSON"},
      {"[1 2]", "the text is not JSON"},
      {"[1", "the text is not JSON"},
      {"]", "the text is not JSON"},
      {"// x\n1", "the text is not JSON"},
      {"\xEF\xBB\xBF{}", "the text is not JSON"},
      {"\"abc", "a string is not closed"},
      {"\"a\nb\"", "a string contains a control character"},
      {"\"\\x\"", "a string contains a wrong escape"},
      {"\"\\u12g4\"", "a string contains a wrong escape"},
      {"\"\\ud800\"", "a string contains a wrong escape"},
      {"\"\\udc00\"", "a string contains a wrong escape"},
      {"\"\\ud800\\u0041\"", "a string contains a wrong escape"},
      {"01", "a number is malformed"},
      {"-", "a number is malformed"},
      {"1.", "a number is malformed"},
      {"[1e]", "a number is malformed"},
      {"[-01]", "a number is malformed"},
      {"1e400x", "a number is malformed"},
      {"[1e400,01]", "a number is malformed"},
      {"+1", "the text is not JSON"},
      {".5", "the text is not JSON"},
  };
  for (const auto& [text, message] : cases) {
    const auto result = read<Raw>(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind, ErrorKind::Syntax) << text;
    ASSERT_EQ(result.error().problems.size(), 1U) << text;
    EXPECT_EQ(result.error().problems[0].path, "") << text;
    EXPECT_EQ(result.error().problems[0].message, message) << text;
    EXPECT_EQ(exactly<Raw>(text), "syntax: " + std::string(message));
  }
}

TEST(JsonHostile, refuses_nul_bytes) {
  EXPECT_TRUE(problems_of<Raw>(std::string_view("1\0", 2)).starts_with("syntax: "));
  EXPECT_TRUE(problems_of<Raw>(std::string_view("\0", 1)).starts_with("syntax: "));
  EXPECT_EQ(problems_of<Raw>(std::string_view("\"a\0\"", 4)), "syntax: a string contains a control character");
}

TEST(JsonHostile, refuses_broken_utf8_anywhere) {
  for (const char* bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "\x80"}) {
    EXPECT_EQ(problems_of<Raw>("\"" + std::string(bad) + "\""), "syntax: the text is not valid UTF-8");
    EXPECT_EQ(problems_of<Nothing>("{\"unknown\":\"" + std::string(bad) + "\"}"),
              "syntax: the text is not valid UTF-8");
    EXPECT_EQ(problems_of<Nothing>("{\"" + std::string(bad) + "\":1}"), "syntax: the text is not valid UTF-8");
  }
}

TEST(JsonHostile, refuses_every_truncation) {
  const std::string whole =
      R"({"id":12345678901234567890123,"items":[{"name":"a\u00e9\"b","price":1.5e3},{"name":"","price":null}],"flags":{"x":true}})";
  EXPECT_EQ(exactly<Order>(whole), "/id: integer out of range (-9223372036854775808 to 9223372036854775807)");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_TRUE(exactly<Order>(whole.substr(0, length)).starts_with("syntax: ")) << length;
  }
}

TEST(JsonHostile, survives_every_changed_byte) {
  const std::string whole = R"({"id":1,"items":[{"name":"a\n","price":1e5}],"flags":{"x":true}})";
  ASSERT_EQ(exactly<Order>(whole), "(no problem)");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = whole;
      changed[at] = static_cast<char>(byte);
      const auto result = read<Order>(changed);
      if (result) {
        EXPECT_TRUE(read<Order>(to_string(*result)));
      }
    }
  }
}

TEST(JsonHostile, limits_depth_exactly) {
  EXPECT_TRUE(read<Raw>(repeated("[", 64) + repeated("]", 64)));
  EXPECT_TRUE(read<Raw>(repeated("[", 64) + "1" + repeated("]", 64)));
  const std::string message = "syntax: nested deeper than 64 levels";
  EXPECT_EQ(problems_of<Raw>(repeated("[", 65) + repeated("]", 65)), message);
  EXPECT_EQ(problems_of<Raw>(repeated("[", 65) + "1" + repeated("]", 65)), message);
  EXPECT_EQ(problems_of<Nothing>(R"({"x":)" + repeated("[", 64) + repeated("]", 64) + "}"), message);
  EXPECT_EQ(problems_of<Raw>(repeated("{\"a\":", 65) + "{}" + repeated("}", 65)), message);
  EXPECT_EQ(problems_of<Raw>(repeated("[", 10'000) + repeated("]", 10'000)), message);
  EXPECT_EQ(problems_of<Chain>(repeated("{\"next\":", 10'000) + "null" + repeated("}", 10'000)), message);
  EXPECT_TRUE(problems_of<Raw>(repeated("[", 1'000'000)).starts_with("syntax: "));
}

TEST(JsonHostile, takes_the_depth_it_is_given) {
  EXPECT_TRUE(read<Raw>("[[]]", {.depth = 2}));
  EXPECT_EQ(problems_of<Raw>("[[[]]]", {.depth = 2}), "syntax: nested deeper than 2 levels");
  EXPECT_TRUE(read<Raw>("1", {.depth = 0}));
  EXPECT_EQ(problems_of<Raw>("[[]]", {.depth = 0}), "syntax: nested deeper than 1 levels");
  EXPECT_TRUE(read<Raw>(repeated("[", 1000) + repeated("]", 1000), {.depth = 5000}));
  EXPECT_EQ(problems_of<Raw>(repeated("[", 1001) + repeated("]", 1001), {.depth = 5000}),
            "syntax: nested deeper than 1000 levels");
  EXPECT_TRUE(read<Nest>(repeated("{\"nests\":[", 499) + "{\"nests\":[]}" + repeated("]}", 499), {.depth = 1000}));
}

TEST(JsonHostile, refuses_duplicate_members_everywhere) {
  EXPECT_EQ(problems_of<Item>(R"({"name":"a","name":"a"})"), "/name: duplicate member");
  EXPECT_EQ(problems_of<Item>(R"({"name":"a","n\u0061me":"a"})"), "/name: duplicate member");
  EXPECT_EQ(problems_of<Nothing>(R"({"x":1,"x":2})"), "/x: duplicate member");
  EXPECT_EQ(problems_of<Nothing>(R"({"u":[{"a":1},{"b":{"x/y":1,"x/y":1}}]})"), "/u/1/b/x~1y: duplicate member");
  EXPECT_EQ((problems_of<std::map<std::string, int>>(R"({"a":1,"a":1})")), "/a: duplicate member");
  EXPECT_EQ(problems_of<Raw>(R"({"a":{"b":1,"c":1,"b":2}})"), "/a/b: duplicate member");
  EXPECT_EQ(problems_of<Nothing>(R"({"x":1,"X":2,"":3,"y":{"x":1}})"), "(no problem)");
}

TEST(JsonHostile, finds_duplicates_among_many_members) {
  for (const int count : {2, 15, 16, 17, 18, 1000}) {
    std::string text = "{";
    for (int i = 0; i < count - 1; ++i) text.append("\"m" + std::to_string(i) + "\":0,");
    EXPECT_EQ(problems_of<Nothing>(text + "\"n\":0}"), "(no problem)") << count;
    EXPECT_EQ(problems_of<Nothing>(text + "\"m0\":0}"), "/m0: duplicate member") << count;
  }
}

// Each duplicate, and each number out of range, would copy the name of the object around it.
TEST(JsonHostile, violations_below_a_long_name_are_few_and_short) {
  const std::string name(500'000, 'n');
  const std::string members = repeated("\"a\":1,", 80'000) + "\"a\":1";
  const std::string numbers = "[" + repeated("1e999,", 80'000) + "1e999]";
  const std::vector<std::string> documents = {"{\"" + name + "\":{" + members + "}}",
                                              "{\"" + name + "\":" + numbers + "}"};
  for (const std::string& document : documents) {
    const auto read_it = read<Nothing>(document, {.problems = 100});
    ASSERT_FALSE(read_it.has_value());
    EXPECT_EQ(read_it.error().problems.size(), 100U);
    for (const Problem& problem : read_it.error().problems) ASSERT_LT(problem.path.size(), 300U);
  }
}

TEST(JsonHostile, a_path_has_the_beginning_of_a_long_name) {
  const std::string name(255, 'n');
  EXPECT_EQ((problems_of<std::map<std::string, int>>("{\"" + name + "/\":\"\"}")), "/" + name + "~1: expected integer");
  EXPECT_EQ((problems_of<std::map<std::string, int>>("{\"" + name + "nn\":\"\"}")),
            "/" + name + "n\u2026: expected integer");
  EXPECT_EQ((problems_of<std::map<std::string, int>>("{\"" + name + "\u00e4\":\"\"}")),
            "/" + name + "\u2026: expected integer");
}

TEST(JsonHostile, reads_on_after_documents_of_any_size) {
  const std::string large = "[" + repeated("\"0123456789\",", 50'000) + "\"\"]";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(read<std::vector<std::string>>(large)->size(), 50'001U);
    EXPECT_EQ(read<int>("1"), 1);
    EXPECT_FALSE(read<int>("["));
    EXPECT_EQ(problems_of<Raw>("[[]]", {.depth = 1}), "syntax: nested deeper than 1 levels");
    EXPECT_TRUE(read<Raw>(repeated("[", 64) + repeated("]", 64)));
  }
}

TEST(JsonHostile, gives_back_what_it_was_given) {
  const std::string text =
      R"({"id":-5,"items":[{"name":"Grüße \"🐦\"\n","price":0.1},{"name":"\u0000","price":null}],"flags":{"a":true,"b":false}})";
  const auto order = read<Order>(text);
  ASSERT_TRUE(order);
  EXPECT_EQ(to_string(*order), text);
}

}  // namespace
}  // namespace tern::json
