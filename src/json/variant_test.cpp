#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tern/json/json.hpp>

#include "json/read_testing.hpp"

namespace {

struct Circle {
  double radius;
  std::string name;
};
struct Box {
  double width;
  double height;
  std::string name;
};
struct Drawing;
using Shape = std::variant<Circle, Box>;
struct Leaf {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<int>, Circle> value;
};
struct Drawing {
  std::vector<std::variant<std::string, std::unique_ptr<Leaf>, std::vector<Shape>>> parts;
};
struct Point {
  int x;
};
struct Move {
  int x;
};
struct Stop {};
using Step = std::variant<Point, Move, Stop>;

struct Prefix {
  int a;
};
struct Extended {
  int a;
  int b;
};

}  // namespace

template <>
struct tern::JsonDiscriminator<Point> {
  static constexpr std::string_view member = "kind", value = "point";
};
template <>
struct tern::JsonDiscriminator<Move> {
  static constexpr std::string_view member = "kind", value = "a \"move\"";
};
template <>
struct tern::JsonDiscriminator<Stop> {
  static constexpr std::string_view member = "kind", value = "stop";
};

namespace tern::json {
namespace {

using Any = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<int>, Circle>;

std::size_t index_for(std::string_view text) {
  const auto any = read<Any>(text);
  return any ? any->index() : 99;
}

TEST(JsonVariant, picks_the_alternative_by_kind) {
  EXPECT_EQ(index_for("null"), 0U);
  EXPECT_EQ(index_for("true"), 1U);
  EXPECT_EQ(index_for("5"), 2U);
  EXPECT_EQ(index_for("5.0"), 3U);
  EXPECT_EQ(index_for("1e2"), 3U);
  EXPECT_EQ(index_for("\"5\""), 4U);
  EXPECT_EQ(index_for("[5]"), 5U);
  EXPECT_EQ(index_for(R"({"radius":1,"name":"c"})"), 6U);
}

TEST(JsonVariant, reads_any_number_where_only_one_type_takes_numbers) {
  using Fraction = std::variant<double, std::string>;
  EXPECT_EQ(read<Fraction>("5"), Fraction(5.0));
  using Whole = std::variant<std::string, int>;
  EXPECT_EQ(read<Whole>("5"), Whole(5));
  EXPECT_EQ(read<Whole>("5.0"), Whole(5));
  EXPECT_EQ(problems_of<Whole>("5.5"), "expected integer or string");
}

TEST(JsonVariant, says_what_it_would_have_taken) {
  EXPECT_EQ((problems_of<std::variant<std::string, bool>>("1")), "expected boolean or string");
  EXPECT_EQ((problems_of<std::variant<std::monostate, double, Circle>>("[]")), "expected number or object or null");
  EXPECT_EQ(problems_of<Any>("99999999999999999999"), "(no problem)");
  EXPECT_EQ((problems_of<std::variant<std::int8_t, double>>("300")), "integer out of range (-128 to 127)");
}

TEST(JsonVariant, tells_structs_by_their_own_members) {
  const auto circle = read<Shape>(R"({"name":"c","radius":2})");
  ASSERT_TRUE(circle);
  EXPECT_EQ(std::get<Circle>(*circle).radius, 2.0);
  const auto box = read<Shape>(R"({"height":1,"name":"b","width":2})");
  ASSERT_TRUE(box);
  EXPECT_EQ(std::get<Box>(*box).width, 2.0);
}

TEST(JsonVariant, reports_problems_of_the_struct_it_chose) {
  EXPECT_EQ(problems_of<Shape>(R"({"width":1})"), "/height: missing; /name: missing");
  EXPECT_EQ(problems_of<std::vector<Shape>>(R"([{"radius":"r","name":"n"}])"), "/0/radius: expected number");
}

TEST(JsonVariant, refuses_objects_that_could_be_none_or_several) {
  EXPECT_EQ(problems_of<Shape>(R"({"name":"x"})"), "no member tells which alternative it is");
  EXPECT_EQ(problems_of<Shape>(R"({"radius":1,"width":1})"), "the members of several alternatives are mixed");
  EXPECT_EQ(problems_of<Shape>("1"), "expected object");
}

TEST(JsonVariant, tells_structs_by_their_discriminator) {
  const auto steps =
      read<std::vector<Step>>(R"([{"kind":"point","x":1},{"x":2,"kind":"a \"move\""},{"kind":"stop","x":0}])");
  ASSERT_TRUE(steps) << steps.error().to_string();
  EXPECT_EQ(std::get<Point>((*steps)[0]).x, 1);
  EXPECT_EQ(std::get<Move>((*steps)[1]).x, 2);
  EXPECT_EQ((*steps)[2].index(), 2U);
  EXPECT_EQ(to_string(*steps), R"([{"kind":"point","x":1},{"kind":"a \"move\"","x":2},{"kind":"stop"}])");
}

TEST(JsonVariant, reports_a_discriminator_that_is_missing_or_unknown) {
  EXPECT_EQ(problems_of<std::vector<Step>>(R"([{"x":1}])"), "/0/kind: missing");
  EXPECT_EQ(problems_of<Step>(R"({"kind":7})"), "/kind: expected string");
  EXPECT_EQ(problems_of<Step>(R"({"kind":"Stop"})"), R"(/kind: must be "point", "a \"move\"" or "stop")");
  EXPECT_EQ(problems_of<Step>(R"({"kind":"point","x":"1"})"), "/x: expected integer");
  const auto unknown = read<Step>(R"({"kind":""})");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().problems[0].code, "one_of");
  EXPECT_EQ(unknown.error().problems[0].expected, R"(["point","a \"move\"","stop"])");
}

TEST(JsonVariant, a_struct_by_itself_has_its_discriminator) {
  EXPECT_EQ(to_string(Stop{}), R"({"kind":"stop"})");
  EXPECT_TRUE(read<Stop>(R"({"kind":"stop"})"));
  EXPECT_EQ(problems_of<Point>(R"({"x":1})"), "/kind: missing");
  EXPECT_EQ(problems_of<Point>(R"({"kind":"stop","x":1})"), R"(/kind: must be "point")");
  EXPECT_EQ(problems_of<Step>(R"({"kind":"point","x":1,"y":1})", {.deny_unknown = true}), "/y: unknown member");
}

TEST(JsonVariant, nests) {
  const char* text = R"({"parts":["s",{"value":1.5},{"value":{"radius":1,"name":"n"}},[{"radius":3,"name":""}],null]})";
  const auto group = read<Drawing>(text);
  ASSERT_TRUE(group) << group.error().to_string();
  ASSERT_EQ(group->parts.size(), 5U);
  EXPECT_EQ(group->parts[3].index(), 2U);
  EXPECT_EQ(to_string(*group), text);
  EXPECT_EQ(problems_of<Drawing>(R"({"parts":[[{"radius":true,"name":""}]]})"), "/parts/0/0/radius: expected number");
  using Inner = std::variant<int, std::string>;
  using Outer = std::variant<Inner, std::vector<Inner>, std::optional<bool>>;
  EXPECT_EQ(read<Outer>("\"x\""), Outer(Inner("x")));
  EXPECT_EQ(read<Outer>("[1,\"y\"]"), Outer(std::vector<Inner>{1, "y"}));
  EXPECT_EQ(read<Outer>("null"), Outer(std::optional<bool>()));
}

TEST(JsonVariant, knows_which_alternatives_look_alike) {
  using detail::alternatives;
  using detail::can_be_told_apart;
  static_assert(can_be_told_apart(alternatives<int, double, std::string>));
  static_assert(can_be_told_apart(alternatives<Circle, Box>));
  static_assert(can_be_told_apart(alternatives<Point, Move, int, Stop>));
  static_assert(!can_be_told_apart(alternatives<Point, Move, Prefix>));
  static_assert(!can_be_told_apart(alternatives<Point, Point>));
  static_assert(!can_be_told_apart(alternatives<int, long>));
  static_assert(!can_be_told_apart(alternatives<float, double>));
  static_assert(!can_be_told_apart(alternatives<std::string, char>));
  static_assert(!can_be_told_apart(alternatives<std::vector<int>, std::vector<bool>>));
  static_assert(!can_be_told_apart(alternatives<Circle, std::map<std::string, int>>));
  static_assert(!can_be_told_apart(alternatives<Prefix, Extended>));
  static_assert(!can_be_told_apart(alternatives<std::monostate, std::optional<int>>));
}

}  // namespace
}  // namespace tern::json
