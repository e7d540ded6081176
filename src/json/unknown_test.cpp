// Members that a struct does not have.
#include "json/read_testing.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tern::json {

struct Lenient {
  int x = 0;
};
struct Strict {
  int x = 0;
  std::vector<Lenient> items = {};
};
struct Circle {
  int radius;
};
struct Square {
  int side;
};

}  // namespace tern::json

template <>
struct tern::JsonOptions<tern::json::Strict> {
  static constexpr bool deny_unknown = true;
};
template <>
struct tern::JsonOptions<tern::json::Square> {
  static constexpr bool deny_unknown = true;
};

namespace tern::json {
namespace {

constexpr Limits deny{.deny_unknown = true};

TEST(UnknownMembers, are_ignored_unless_denied) {
  EXPECT_EQ(problems_of<Lenient>(R"({"x":1,"y":2})"), "(no problem)");
  EXPECT_EQ(problems_of<Lenient>(R"({"x":1,"y":2})", deny), "/y: unknown member");
  EXPECT_EQ(problems_of<Lenient>(R"({"x":1})", deny), "(no problem)");
}

TEST(UnknownMembers, are_each_named) {
  EXPECT_EQ(problems_of<Strict>(R"({"b":[1],"items":[],"x":true,"a/b":{"x":1}})"),
            "/b: unknown member; /x: expected integer; /a~1b: unknown member");
}

TEST(UnknownMembers, are_denied_for_each_struct_by_itself_or_for_all) {
  constexpr std::string_view text = R"({"items":[{"x":1},{"y":2}]})";
  EXPECT_EQ(problems_of<Strict>(text), "(no problem)");
  EXPECT_EQ(problems_of<Strict>(text, deny), "/items/1/y: unknown member");
  EXPECT_EQ((problems_of<std::map<std::string, Lenient>>(R"({"any":{"x":1,"z":2}})", deny)), "/any/z: unknown member");
}

TEST(UnknownMembers, are_denied_in_the_alternative_of_a_variant) {
  using Shape = std::variant<Circle, Square>;
  EXPECT_EQ(problems_of<Shape>(R"({"radius":1,"color":2})"), "(no problem)");
  EXPECT_EQ(problems_of<Shape>(R"({"side":1,"color":2})"), "/color: unknown member");
}

TEST(UnknownMembers, count_as_problems_up_to_the_limit) {
  EXPECT_EQ(problems_of<Strict>(R"({"a":1,"b":2,"c":3})", {.problems = 2}), "/a: unknown member; /b: unknown member");
}

}  // namespace
}  // namespace tern::json
