#include <tern/json/read.hpp>
#include <tern/json/write.hpp>

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "json/read_testing.hpp"
#include "json/wide_structs.hpp"

namespace {

enum class Color { Red, Green };

struct Page {
  int limit = 20;
  int offset = 0;
};
struct NewBook {
  std::string title;
  std::string author;
  int year;
};
struct Item {
  std::string name;
  double price;
};
struct Order {
  std::vector<Item> items;
  std::optional<std::string> note;
  Page page;
};
struct Tree {
  int value;
  std::vector<Tree> children;
  std::unique_ptr<Tree> next;
};
struct Preset {
  std::vector<int> numbers = {1, 2};
  std::string text = "initial";
};

}  // namespace

namespace tern::json {
namespace {

TEST(JsonReader, reads_structs) {
  const auto book = read<NewBook>(R"( {"title": "Dune", "author": "Herbert", "year": 1965} )");
  ASSERT_TRUE(book);
  EXPECT_EQ(book->title, "Dune");
  EXPECT_EQ(book->author, "Herbert");
  EXPECT_EQ(book->year, 1965);
}

TEST(JsonReader, takes_members_in_any_order_and_ignores_unknown_ones) {
  const auto book = read<NewBook>(R"({"x":[{"y":1}],"year":1,"author":"b","title":"a","z":null})");
  ASSERT_TRUE(book);
  EXPECT_EQ(book->title, "a");
  EXPECT_EQ(book->year, 1);
}

TEST(JsonReader, reports_every_missing_member_without_default) {
  EXPECT_EQ(problems_of<NewBook>("{}"), "/title: missing; /author: missing; /year: missing");
  EXPECT_EQ(problems_of<NewBook>(R"({"author":"b"})"), "/title: missing; /year: missing");
  EXPECT_EQ(problems_of<Item>(R"({"price":0})"), "/name: missing");
}

TEST(JsonReader, leaves_missing_members_with_default_alone) {
  const auto page = read<Page>(R"({"offset":5})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->limit, 20);
  EXPECT_EQ(page->offset, 5);
  EXPECT_TRUE(read<Page>("{}"));
}

TEST(JsonReader, does_not_take_null_for_missing) {
  EXPECT_EQ(problems_of<Page>(R"({"limit":null})"), "/limit: expected integer");
}

TEST(JsonReader, replaces_the_contents_of_preset_members) {
  const auto preset = read<Preset>(R"({"numbers":[7],"text":""})");
  ASSERT_TRUE(preset);
  EXPECT_EQ(preset->numbers, std::vector<int>{7});
  EXPECT_EQ(preset->text, "");
}

TEST(JsonReader, collects_all_problems_with_their_paths) {
  EXPECT_EQ(problems_of<Order>(R"({"items":[{"name":"a","price":1},{"name":2,"price":"x"},{"name":"c"},7],
                                   "note":false,"page":{"limit":1.5}})"),
            "/items/1/name: expected string; /items/1/price: expected number; /items/2/price: missing; "
            "/items/3: expected object; /note: expected string; /page/limit: expected integer");
}

TEST(JsonReader, escapes_names_in_paths) {
  using Map = std::map<std::string, int>;
  EXPECT_EQ(problems_of<Map>(R"({"a/b~c":"x"})"), "/a~1b~0c: expected integer");
}

TEST(JsonReader, stops_at_the_most_problems) {
  std::string text = "[";
  for (int i = 0; i < 100; ++i) text.append(i == 0 ? "\"\"" : ",\"\"");
  text.append("]");
  const auto many = read<std::vector<int>>(text);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().problems.size(), 32U);
  const auto few = read<std::vector<int>>(text, {.problems = 2});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().problems.size(), 2U);
  const auto none = read<std::vector<int>>(text, {.problems = 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().problems.size(), 1U);
}

TEST(JsonReader, reads_booleans_and_null) {
  EXPECT_EQ(read<bool>("true"), true);
  EXPECT_EQ(read<bool>("false"), false);
  EXPECT_EQ(problems_of<bool>("1"), "expected boolean");
  EXPECT_EQ(problems_of<bool>("\"true\""), "expected boolean");
  EXPECT_TRUE(read<std::nullptr_t>("null"));
  EXPECT_TRUE(read<std::monostate>("null"));
  EXPECT_EQ(problems_of<std::monostate>("{}"), "expected null");
}

TEST(JsonReader, reads_integers_exactly) {
  EXPECT_EQ(read<std::int64_t>("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read<std::int64_t>("9007199254740993"), 9007199254740993);
  EXPECT_EQ(read<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read<int>("-0"), 0);
  EXPECT_EQ(read<std::int8_t>("-128"), std::int8_t{-128});
  EXPECT_EQ(read<std::uint8_t>("255"), std::uint8_t{255});
}

TEST(JsonReader, refuses_integers_out_of_range) {
  EXPECT_EQ(problems_of<std::int8_t>("128"), "integer out of range (-128 to 127)");
  EXPECT_EQ(problems_of<std::int8_t>("-129"), "integer out of range (-128 to 127)");
  EXPECT_EQ(problems_of<std::uint8_t>("256"), "integer out of range (0 to 255)");
  EXPECT_EQ(problems_of<std::uint8_t>("-1"), "integer out of range (0 to 255)");
  EXPECT_EQ(problems_of<std::uint64_t>("-1"), "integer out of range (0 to 18446744073709551615)");
  EXPECT_EQ(problems_of<std::uint64_t>("18446744073709551616"), "integer out of range (0 to 18446744073709551615)");
  EXPECT_EQ(problems_of<std::int64_t>("9223372036854775808"),
            "integer out of range (-9223372036854775808 to 9223372036854775807)");
  EXPECT_EQ(problems_of<std::int64_t>("-9223372036854775809"),
            "integer out of range (-9223372036854775808 to 9223372036854775807)");
  EXPECT_EQ(problems_of<int>("1000000000000000000000000000000"), "integer out of range (-2147483648 to 2147483647)");
}

TEST(JsonReader, refuses_a_number_with_a_fraction_for_an_integer) {
  for (const char* text : {"1.5", "-0.25", "1e-2", "9007199254740992.0", "9007199254740993.0"}) {
    EXPECT_EQ(problems_of<int>(text), "expected integer") << text;
    EXPECT_EQ(problems_of<unsigned>(text), "expected integer") << text;
  }
  EXPECT_EQ(problems_of<int>("\"1\""), "expected integer");
  EXPECT_EQ(problems_of<int>("true"), "expected integer");
}

TEST(JsonReader, reads_integers_that_are_written_otherwise) {
  EXPECT_EQ(read<int>("3.0"), 3);
  EXPECT_EQ(read<int>("-3.00"), -3);
  EXPECT_EQ(read<unsigned>("1e2"), 100U);
  EXPECT_EQ(read<std::uint8_t>("-0.0"), 0);
  EXPECT_EQ(read<std::int64_t>("-9007199254740991.0"), -9007199254740991);
  EXPECT_EQ(problems_of<std::int8_t>("1.28e2"), "integer out of range (-128 to 127)");
  EXPECT_EQ(problems_of<std::uint8_t>("-1.0"), "integer out of range (0 to 255)");
}

TEST(JsonReader, reads_floating_point_numbers) {
  EXPECT_EQ(read<double>("0.1"), 0.1);
  EXPECT_EQ(read<double>("7"), 7.0);
  EXPECT_EQ(read<double>("18446744073709551615"), 18446744073709551615.0);
  EXPECT_EQ(read<double>("100000000000000000000"), 1e20);
  EXPECT_EQ(read<double>("-123456789012345678901234567890"), -123456789012345678901234567890.0);
  EXPECT_EQ(read<double>("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(read<double>("5e-324"), 5e-324);
  EXPECT_EQ(read<double>("1e-400"), 0.0);
  EXPECT_EQ(read<float>("0.1"), 0.1F);
  EXPECT_EQ(read<float>("-2"), -2.0F);
}

TEST(JsonReader, reads_the_largest_float_as_it_is_written) {
  constexpr float most = std::numeric_limits<float>::max();
  EXPECT_EQ(to_string(most), "3.4028235e+38");
  EXPECT_EQ(read<float>(to_string(most)), most);
  EXPECT_EQ(read<float>(to_string(-most)), -most);
  EXPECT_EQ(problems_of<float>("3.4028236e38"), "number out of range");
}

TEST(JsonReader, refuses_numbers_beyond_double_and_float) {
  EXPECT_EQ(problems_of<double>("1e400"), "number out of range");
  EXPECT_EQ(problems_of<double>("-1e309"), "number out of range");
  EXPECT_EQ(problems_of<double>("1" + std::string(400, '0')), "number out of range");
  EXPECT_EQ(problems_of<double>("0." + std::string(100, '0') + "1e500"), "number out of range");
  EXPECT_EQ(problems_of<float>("1e39"), "number out of range");
  EXPECT_EQ(problems_of<double>("\"1\""), "expected number");
}

TEST(JsonReader, tells_where_a_number_beyond_double_is) {
  EXPECT_EQ(problems_of<Item>(R"({"name":"1e400 \" 1e400","n":[1,-2.5,{"m":1e999}],"price":1e99999999999999999999})"),
            "/n/2/m: number out of range; /price: number out of range");
}

TEST(JsonReader, keeps_large_integers_beside_tamed_ones_exact) {
  using Numbers = std::tuple<std::int64_t, double, std::uint64_t, std::string>;
  const auto numbers =
      read<Numbers>(R"([9007199254740993,123456789012345678901,18446744073709551615,"-\"99999999999999999999"])");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, Numbers(9007199254740993, 123456789012345678901.0, std::numeric_limits<std::uint64_t>::max(),
                              "-\"99999999999999999999"));
}

TEST(JsonReader, reads_text) {
  EXPECT_EQ(read<std::string>(R"("a\u00e9\ud83d\udc26\"\\\/\b\f\n\r\t世")"), "aé🐦\"\\/\b\f\n\r\t世");
  EXPECT_EQ(read<std::string>(R"("a\u0000b")"), std::string("a\0b", 3));
  EXPECT_EQ(problems_of<std::string>("1"), "expected string");
  EXPECT_EQ(problems_of<std::string>("null"), "expected string");
}

TEST(JsonReader, reads_single_characters) {
  EXPECT_EQ(read<char>("\"x\""), 'x');
  for (const char* text : {"\"\"", "\"xy\"", "\"é\""}) {
    EXPECT_EQ(problems_of<char>(text), "expected string of one ASCII character");
  }
  EXPECT_EQ(problems_of<char>("120"), "expected string");
}

TEST(JsonReader, reads_enums_by_name) {
  EXPECT_EQ(read<Color>("\"Green\""), Color::Green);
  EXPECT_EQ(problems_of<Color>("\"green\""), "expected \"Red\" or \"Green\"");
  EXPECT_EQ(problems_of<Color>("1"), "expected string");
}

TEST(JsonReader, reads_containers) {
  EXPECT_EQ(read<std::vector<int>>("[1,2,3]"), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(read<std::vector<int>>("[]"), std::vector<int>{});
  EXPECT_EQ(read<std::vector<bool>>("[true,false]"), (std::vector<bool>{true, false}));
  EXPECT_EQ(read<std::deque<std::string>>("[\"a\"]"), std::deque<std::string>{"a"});
  EXPECT_EQ(read<std::list<std::list<int>>>("[[1],[]]"), (std::list<std::list<int>>{{1}, {}}));
  EXPECT_EQ(read<std::set<int>>("[3,1,3]"), (std::set<int>{1, 3}));
  EXPECT_EQ(read<std::unordered_set<std::string>>("[\"x\"]"), std::unordered_set<std::string>{"x"});
  EXPECT_EQ(problems_of<std::vector<int>>("{}"), "expected array");
  EXPECT_EQ(problems_of<std::set<int>>("[1,\"2\"]"), "/1: expected integer");
}

TEST(JsonReader, reads_arrays_of_exact_length) {
  EXPECT_EQ((read<std::array<int, 3>>("[1,2,3]")), (std::array<int, 3>{1, 2, 3}));
  EXPECT_TRUE((read<std::array<int, 0>>("[]")));
  EXPECT_EQ((problems_of<std::array<int, 3>>("[1,2]")), "expected array of 3 elements");
  EXPECT_EQ((problems_of<std::array<int, 1>>("[1,2]")), "expected array of 1 element");
  EXPECT_EQ((problems_of<std::array<int, 2>>("1")), "expected array");
  EXPECT_EQ((problems_of<std::array<int, 2>>("[1,true]")), "/1: expected integer");
}

TEST(JsonReader, reads_pairs_and_tuples) {
  EXPECT_EQ((read<std::pair<int, std::string>>(R"([1,"x"])")), (std::pair<int, std::string>(1, "x")));
  EXPECT_EQ((read<std::tuple<bool, int, double>>("[true,2,3.5]")), (std::tuple(true, 2, 3.5)));
  EXPECT_EQ((problems_of<std::pair<int, int>>("[1,2,3]")), "expected array of 2 elements");
  EXPECT_EQ((problems_of<std::tuple<int, bool>>("[1,2]")), "/1: expected boolean");
}

TEST(JsonReader, reads_maps) {
  EXPECT_EQ((read<std::map<std::string, int>>(R"({"b":2,"a":1})")), (std::map<std::string, int>{{"a", 1}, {"b", 2}}));
  EXPECT_EQ((read<std::unordered_map<std::string, bool>>(R"({"":true})")),
            (std::unordered_map<std::string, bool>{{"", true}}));
  EXPECT_EQ((read<std::map<int, int>>(R"({"-5":1})")), (std::map<int, int>{{-5, 1}}));
  EXPECT_EQ((read<std::map<Color, int>>(R"({"Green":1})")), (std::map<Color, int>{{Color::Green, 1}}));
  EXPECT_EQ((problems_of<std::map<std::string, int>>("[]")), "expected object");
}

TEST(JsonReader, refuses_bad_keys) {
  EXPECT_EQ((problems_of<std::map<int, int>>(R"({"x":1})")), "/x: expected integer as name of the member");
  EXPECT_EQ((problems_of<std::map<std::uint8_t, int>>(R"({"256":1})")), "/256: expected integer as name of the member");
  EXPECT_EQ((problems_of<std::map<Color, int>>(R"({"Blue":1})")),
            "/Blue: expected \"Red\" or \"Green\" as name of the member");
  EXPECT_EQ((problems_of<std::map<int, int>>(R"({"1":1,"01":2})")), "/01: duplicate member");
}

TEST(JsonReader, reads_optionals_and_pointers) {
  EXPECT_EQ(read<std::optional<int>>("null")->has_value(), false);
  EXPECT_EQ(**read<std::optional<int>>("4"), 4);
  EXPECT_EQ(problems_of<std::optional<int>>("\"4\""), "expected integer");
  EXPECT_EQ(**read<std::unique_ptr<std::string>>("\"x\""), "x");
  EXPECT_EQ(*read<std::unique_ptr<std::string>>("null"), nullptr);
  EXPECT_EQ(**read<std::shared_ptr<int>>("1"), 1);
}

TEST(JsonReader, reads_recursive_structs) {
  const auto tree =
      read<Tree>(R"({"value":1,"children":[{"value":2,"children":[]}],"next":{"value":3,"children":[],"next":null}})");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->children.at(0).value, 2);
  ASSERT_NE(tree->next, nullptr);
  EXPECT_EQ(tree->next->value, 3);
  EXPECT_EQ(problems_of<Tree>(R"({"value":1,"children":[],"next":{"value":"","children":[]}})"),
            "/next/value: expected integer");
}

TEST(JsonReader, reads_64_members) {
  std::string text = "{";
  for (int i = 63; i >= 0; --i)
    text.append("\"m" + std::to_string(i) + "\":" + std::to_string(i) + (i > 0 ? "," : "}"));
  const auto wide = read<Wide64>(text);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->m0, 0);
  EXPECT_EQ(wide->m63, 63);
  EXPECT_EQ(problems_of<Wide64>(text.substr(0, 1) + text.substr(text.find(',') + 1)), "/m63: missing");
}

TEST(JsonReader, reads_raw_json) {
  const auto raw =
      read<std::vector<Raw>>(R"([ {"a" : [1, 2.0, -3, 18446744073709551615, true, null]} , "x\n" ,1.5e300])");
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->at(0).text, R"({"a":[1,2.0,-3,18446744073709551615,true,null]})");
  EXPECT_EQ(raw->at(1).text, R"("x\n")");
  EXPECT_EQ(raw->at(2).text, "1.5e+300");
}

}  // namespace
}  // namespace tern::json
