// Rules checked on C++ values: where the value may differ from what the document says, the document decides.

#include <tern/rules.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tern/json/json.hpp>

#include "json/read_testing.hpp"

namespace rule_value_test {

enum class Size { small, medium, large };

struct Values {
  float narrow = 1;
  double wide = 1;
  double open = 0.5;
  std::int64_t exact = 1;
  std::uint64_t large = 1;
  std::int16_t between = 1;
  std::int32_t step = 0;
  std::string text = "12345678901";
  Size size = Size::small;
  std::optional<std::string> word = {};
  std::unique_ptr<int> number = {};
  std::set<int> set = {};
  std::vector<double> doubles = {};
  std::vector<std::string> words = {};
  std::array<int, 2> pair = {1, 2};
  std::map<std::string, std::vector<int>> map = {};
  std::variant<int, std::string> either = 5;
  std::string code = "a";
};

}  // namespace rule_value_test

template <>
struct tern::JsonDefaults<rule_value_test::Values> {
  static constexpr bool may_be_missing = true;
};

template <>
struct tern::Rules<rule_value_test::Values> {
  using V = rule_value_test::Values;
  static constexpr auto list = tern::rules(
      tern::member<&V::narrow>(tern::minimum(0.1)), tern::member<&V::wide>(tern::maximum(9007199254740992.0)),
      tern::member<&V::open>(tern::exclusive_minimum(0), tern::exclusive_maximum(1)),
      tern::member<&V::exact>(tern::range(-9007199254740993, 9007199254740993)),
      tern::member<&V::large>(tern::minimum(1), tern::multiple_of(5)),
      tern::member<&V::between>(tern::minimum(-1.5), tern::exclusive_maximum(2.5)),
      tern::member<&V::step>(tern::multiple_of(3)), tern::member<&V::text>(tern::length(11, 12)),
      tern::member<&V::size>(tern::one_of("small", "large")), tern::member<&V::word>(tern::min_length(2)),
      tern::member<&V::number>(tern::minimum(10)), tern::member<&V::set>(tern::unique_items(), tern::max_items(3)),
      tern::member<&V::doubles>(tern::unique_items(), tern::each(tern::minimum(0))),
      tern::member<&V::words>(tern::unique_items(), tern::max_items(20), tern::each(tern::min_length(1))),
      tern::member<&V::pair>(tern::unique_items(), tern::each(tern::minimum(1))),
      tern::member<&V::map>(tern::properties(0, 2), tern::each(tern::items(1, 2), tern::each(tern::maximum(9)))),
      tern::member<&V::either>(tern::minimum(5), tern::min_length(2)),
      tern::member<&V::code>(tern::pattern("^[a-z]+$"), tern::one_of("a", "bb", "C")));
};

namespace tern::json {
namespace {

using Values = rule_value_test::Values;

// The violations of a document with one member.
std::string found(const std::string& member, const std::string& value) {
  return problems_of<Values>("{\"" + member + "\":" + value + "}");
}

const std::string none = "(no problem)";

TEST(RuleValue, the_document_decides_where_the_value_was_rounded) {
  EXPECT_EQ(found("narrow", "0.1"), none);  // below 0.1 or above it, as a float
  EXPECT_EQ(found("narrow", "0.09999999999"), "/narrow: must be at least 0.1");
  EXPECT_EQ(found("wide", "9007199254740992"), none);
  EXPECT_EQ(found("wide", "9007199254740993"), "/wide: must be at most 9007199254740992");
}

TEST(RuleValue, limits_are_exact) {
  EXPECT_EQ(found("open", "0.999"), none);
  EXPECT_EQ(found("open", "0"), "/open: must be more than 0");
  EXPECT_EQ(found("open", "1"), "/open: must be less than 1");
  EXPECT_EQ(found("exact", "9007199254740993"), none);
  EXPECT_EQ(found("exact", "9007199254740994"), "/exact: must be at most 9007199254740993");
  EXPECT_EQ(found("exact", "-9007199254740994"), "/exact: must be at least -9007199254740993");
  EXPECT_EQ(found("large", "18446744073709551615"), none);
  EXPECT_EQ(found("large", "18446744073709551614"), "/large: must be a multiple of 5");
  EXPECT_EQ(found("large", "0"), "/large: must be at least 1");
  EXPECT_EQ(found("between", "-1"), none);
  EXPECT_EQ(found("between", "-2"), "/between: must be at least -1.5");
  EXPECT_EQ(found("between", "2"), none);
  EXPECT_EQ(found("between", "3"), "/between: must be less than 2.5");
  EXPECT_EQ(found("step", "-9"), none);
  EXPECT_EQ(found("step", "-8"), "/step: must be a multiple of 3");
}

TEST(RuleValue, lengths_are_code_points) {
  EXPECT_EQ(found("text", "\"\u00e4\u00f6\u00fc\u20ac\U0001F600abcdef\""), none);  // 11 in 20 bytes
  EXPECT_EQ(found("text", "\"\u00e4\u00f6\u00fc\u20ac\U0001F600abcde\""), "/text: must have at least 11 characters");
  EXPECT_EQ(found("text", "\"\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\""), none);
  EXPECT_EQ(found("text", "\"1234567890123\""), "/text: must have at most 12 characters");
}

TEST(RuleValue, lengths_are_code_points_wherever_they_are_in_a_text) {
  for (std::size_t count = 1; count <= 26; ++count) {
    for (std::size_t place = 0; place < count; ++place) {
      for (const std::string_view character : {"a", "\u00e4", "\u20ac", "\U0001F600"}) {
        std::string text(count - 1, 'a');
        text.insert(place, character);
        EXPECT_TRUE(detail::has_length(text, count, count)) << text;
        EXPECT_FALSE(detail::has_length(text, count + 1, 100)) << text;
        EXPECT_FALSE(detail::has_length(text, 0, count - 1)) << text;
      }
    }
  }
}

TEST(RuleValue, listed_values) {
  EXPECT_EQ(found("size", "\"large\""), none);
  EXPECT_EQ(found("size", "\"medium\""), "/size: must be \"small\" or \"large\"");
  EXPECT_EQ(found("code", "\"bb\""), none);
  EXPECT_EQ(found("code", "\"C\""), "/code: must match ^[a-z]+$");
  EXPECT_EQ(found("code", "\"b\""), "/code: must be \"a\", \"bb\" or \"C\"");
}

TEST(RuleValue, what_may_be_null) {
  EXPECT_EQ(found("word", "null"), none);
  EXPECT_EQ(found("word", "\"x\""), "/word: must have at least 2 characters");
  EXPECT_EQ(found("number", "null"), none);
  EXPECT_EQ(found("number", "9"), "/number: must be at least 10");
}

TEST(RuleValue, lists_sets_and_maps) {
  EXPECT_EQ(found("set", "[1,2,3]"), none);
  EXPECT_EQ(found("set", "[1,2,1]"), "/set: must not have equal elements");  // one is lost in the std::set
  EXPECT_EQ(found("doubles", "[9007199254740992,9007199254740993]"), none);  // equal as doubles
  EXPECT_EQ(found("doubles", "[1,1.0]"), "/doubles: must not have equal elements");
  EXPECT_EQ(found("doubles", "[0,-1]"), "/doubles/1: must be at least 0");
  EXPECT_EQ(found("words", R"(["a","b","c","d","e","f","g","h","i","j"])"), none);
  EXPECT_EQ(found("words", R"(["a","b","c","d","e","f","g","h","i","a"])"), "/words: must not have equal elements");
  EXPECT_EQ(found("words", R"(["ab","ac","ab"])"), "/words: must not have equal elements");
  EXPECT_EQ(found("words", R"(["ab",""])"), "/words/1: must have at least 1 character");
  EXPECT_EQ(found("pair", "[4,4]"), "/pair: must not have equal elements");
  EXPECT_EQ(found("map", R"({"a":[9],"b":[1,2]})"), none);
  EXPECT_EQ(found("map", R"({"a":[],"b":[10]})"), "/map/a: must have at least 1 element; /map/b/0: must be at most 9");
  EXPECT_EQ(found("map", R"({"a":[1],"b":[1],"c":[1]})"), "/map: must have at most 2 members");
  EXPECT_EQ(found("either", "5"), none);
  EXPECT_EQ(found("either", "4"), "/either: must be at least 5");
  EXPECT_EQ(found("either", "\"x\""), "/either: must have at least 2 characters");
}

}  // namespace
}  // namespace tern::json
