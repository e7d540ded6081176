#include <tern/json/write.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "json/wide_structs.hpp"

namespace {

enum class Color { Red, Green };

struct Point {
  int x;
  int y;
};
struct Shapes {
  std::string name;
  std::vector<Point> points;
  std::optional<Point> center;
  Color color;
};
struct Nothing {};
struct View {
  std::string_view text;
  const char* literal;
  const int constant = 3;
};
struct Node {
  int value;
  std::unique_ptr<Node> next;
};

}  // namespace

namespace tern::json {
namespace {

TEST(JsonWriter, writes_scalars) {
  EXPECT_EQ(to_string(true), "true");
  EXPECT_EQ(to_string(false), "false");
  EXPECT_EQ(to_string(nullptr), "null");
  EXPECT_EQ(to_string(std::monostate{}), "null");
  EXPECT_EQ(to_string(0), "0");
  EXPECT_EQ(to_string(-7), "-7");
  EXPECT_EQ(to_string(std::int8_t{-128}), "-128");
  EXPECT_EQ(to_string(std::uint8_t{255}), "255");
  EXPECT_EQ(to_string(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(to_string(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(to_string(5LL), "5");
  EXPECT_EQ(to_string('a'), "\"a\"");
}

TEST(JsonWriter, writes_the_shortest_number_that_reads_back) {
  EXPECT_EQ(to_string(0.1), "0.1");
  EXPECT_EQ(to_string(0.1F), "0.1");
  EXPECT_EQ(to_string(1e300), "1e+300");
  EXPECT_EQ(to_string(5e-324), "5e-324");
  EXPECT_EQ(to_string(3.0), "3");
  EXPECT_EQ(to_string(-0.0), "-0");
}

TEST(JsonWriter, writes_null_for_what_is_no_number) {
  EXPECT_EQ(to_string(std::nan("")), "null");
  EXPECT_EQ(to_string(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(to_string(-std::numeric_limits<float>::infinity()), "null");
}

TEST(JsonWriter, escapes_text) {
  EXPECT_EQ(to_string("plain"), "\"plain\"");
  EXPECT_EQ(to_string(std::string()), "\"\"");
  EXPECT_EQ(to_string("\"\\/\b\f\n\r\t"), R"("\"\\/\b\f\n\r\t")");
  EXPECT_EQ(to_string(std::string("a\0b\x01\x1f\x7f", 6)), "\"a\\u0000b\\u0001\\u001f\x7f\"");
}

TEST(JsonWriter, escapes_at_every_place_of_a_word) {
  for (std::size_t length = 1; length < 20; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      std::string text(length, 'x');
      text[at] = '"';
      const std::string expected = "\"" + std::string(at, 'x') + "\\\"" + std::string(length - at - 1, 'x') + "\"";
      EXPECT_EQ(to_string(text), expected);
    }
  }
}

TEST(JsonWriter, escapes_every_byte_that_needs_it_and_no_other) {
  for (int byte = 0; byte < 0x80; ++byte) {
    const std::string text = "1234567" + std::string(1, static_cast<char>(byte)) + "9";
    const bool plain = byte >= 0x20 && byte != '"' && byte != '\\';
    EXPECT_EQ(to_string(text) == "\"" + text + "\"", plain) << byte;
  }
}

TEST(JsonWriter, keeps_utf8_and_replaces_what_is_not) {
  EXPECT_EQ(to_string("Grüße, 世界 🐦 \u2028"), "\"Grüße, 世界 🐦 \u2028\"");
  EXPECT_EQ(to_string("é\n"), "\"é\\n\"");
  EXPECT_EQ(to_string("a\xffz"), "\"a\uFFFDz\"");
  EXPECT_EQ(to_string("ü\xe4\xb8"), "\"ü\uFFFD\uFFFD\"");
  EXPECT_EQ(to_string("\xc0\x80世\""), "\"\uFFFD\uFFFD世\\\"\"");
  EXPECT_EQ(to_string("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");
  EXPECT_EQ(to_string("\xf0\x9f\x90\xa6\xf0\x9f"), "\"🐦\uFFFD\uFFFD\"");
}

TEST(JsonWriter, writes_containers) {
  EXPECT_EQ(to_string(std::vector<int>{}), "[]");
  EXPECT_EQ(to_string(std::vector<int>{1, 2, 3}), "[1,2,3]");
  EXPECT_EQ(to_string(std::vector<bool>{true, false}), "[true,false]");
  EXPECT_EQ(to_string(std::vector<std::vector<int>>{{1}, {}, {2, 3}}), "[[1],[],[2,3]]");
  EXPECT_EQ(to_string(std::deque<char>{'a', 'b'}), R"(["a","b"])");
  EXPECT_EQ(to_string(std::list<std::string>{"x"}), R"(["x"])");
  EXPECT_EQ(to_string(std::array<int, 2>{4, 5}), "[4,5]");
  EXPECT_EQ(to_string(std::array<int, 0>{}), "[]");
  EXPECT_EQ(to_string(std::set<int>{3, 1}), "[1,3]");
  EXPECT_EQ(to_string(std::unordered_set<int>{7}), "[7]");
  const std::vector<int> numbers{8, 9};
  EXPECT_EQ(to_string(std::span<const int>(numbers)), "[8,9]");
}

TEST(JsonWriter, writes_maps_as_objects) {
  EXPECT_EQ(to_string(std::map<std::string, int>{{"a", 1}, {"b\n", 2}}), R"({"a":1,"b\n":2})");
  EXPECT_EQ(to_string(std::unordered_map<std::string, std::vector<int>>{{"k", {1}}}), R"({"k":[1]})");
  EXPECT_EQ(to_string(std::map<int, bool>{{-1, true}}), R"({"-1":true})");
  EXPECT_EQ(to_string(std::map<Color, int>{{Color::Green, 1}, {static_cast<Color>(9), 2}}), R"({"Green":1,"9":2})");
}

TEST(JsonWriter, writes_pairs_and_tuples_as_arrays) {
  EXPECT_EQ(to_string(std::pair(1, std::string("x"))), R"([1,"x"])");
  EXPECT_EQ(to_string(std::tuple(1, 2.5, true)), "[1,2.5,true]");
  EXPECT_EQ(to_string(std::tuple<>()), "[]");
}

TEST(JsonWriter, writes_optionals_pointers_and_variants_as_what_they_hold) {
  EXPECT_EQ(to_string(std::optional<int>()), "null");
  EXPECT_EQ(to_string(std::optional<int>(4)), "4");
  EXPECT_EQ(to_string(std::optional<bool>(false)), "false");
  EXPECT_EQ(to_string(std::unique_ptr<int>()), "null");
  EXPECT_EQ(to_string(std::make_shared<std::string>("s")), "\"s\"");
  using Either = std::variant<std::monostate, int, std::string, Point>;
  EXPECT_EQ(to_string(Either()), "null");
  EXPECT_EQ(to_string(Either(5)), "5");
  EXPECT_EQ(to_string(Either("t")), "\"t\"");
  EXPECT_EQ(to_string(Either(Point{1, 2})), R"({"x":1,"y":2})");
  EXPECT_EQ(to_string(std::variant<int, int>(std::in_place_index<1>, 3)), "3");
}

TEST(JsonWriter, writes_enums_by_name_and_values_without_name_as_numbers) {
  EXPECT_EQ(to_string(Color::Green), "\"Green\"");
  EXPECT_EQ(to_string(static_cast<Color>(7)), "7");
}

TEST(JsonWriter, writes_structs) {
  EXPECT_EQ(to_string(Nothing{}), "{}");
  EXPECT_EQ(to_string(Shapes{"s", {{1, 2}, {3, 4}}, std::nullopt, Color::Red}),
            R"({"name":"s","points":[{"x":1,"y":2},{"x":3,"y":4}],"center":null,"color":"Red"})");
  EXPECT_EQ(to_string(View{"v", "l"}), R"({"text":"v","literal":"l","constant":3})");
  EXPECT_EQ(to_string(View{"v", nullptr}), R"({"text":"v","literal":null,"constant":3})");
}

TEST(JsonWriter, writes_recursive_structs) {
  Node list{1, std::make_unique<Node>(Node{2, nullptr})};
  EXPECT_EQ(to_string(list), R"({"value":1,"next":{"value":2,"next":null}})");
}

TEST(JsonWriter, writes_64_members) {
  const std::string text = to_string(Wide64{});
  EXPECT_TRUE(text.starts_with(R"({"m0":0,"m1":0,)")) << text;
  EXPECT_TRUE(text.ends_with(R"("m62":0,"m63":0})")) << text;
}

TEST(JsonWriter, appends) {
  std::string out = "data: ";
  write(out, std::vector<int>{1});
  write(out, 2);
  EXPECT_EQ(out, "data: [1]2");
}

TEST(JsonWriter, writes_raw_json_as_it_is) {
  EXPECT_EQ(to_string(std::vector<Raw>{{"{\"a\": 1}"}, {"2"}}), "[{\"a\": 1},2]");
}

TEST(JsonWriter, sets_commas_between_calls) {
  std::string out;
  Writer writer(out);
  writer.begin_object();
  writer.key("a");
  writer.begin_array();
  writer.end_array();
  writer.key("b");
  writer.value(std::vector<int>{1, 2});
  writer.key("c");
  writer.begin_object();
  writer.end_object();
  writer.end_object();
  EXPECT_EQ(out, R"({"a":[],"b":[1,2],"c":{}})");
}

}  // namespace
}  // namespace tern::json
