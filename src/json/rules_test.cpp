// Rules on members: which values keep them, where violations are reported, and what they cost.

#include <tern/rules.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <tern/json/json.hpp>

#include "json/read_testing.hpp"

namespace rules_test {

enum class Cover { paper, cloth, leather };

struct Author {
  std::string name;
  std::string email = "";
};
struct Book {
  std::string title;
  int year = 2000;
  std::vector<std::string> tags = {};
  std::optional<double> price = {};
  std::map<std::string, int> stock = {};
  std::optional<Author> author = {};
  Cover cover = Cover::paper;
  std::vector<Author> editors = {};
};

struct Stay {
  int begin = 0;
  int end = 0;
};
struct Account {
  std::int64_t id = 0;
  std::string name;
  std::string password;
};
struct Numbers {
  std::int64_t low = 0;
  std::uint64_t high = 0;
  double fraction = 0.5;
  double step = 0;
  std::int64_t even = 0;
};
struct Lists {
  std::vector<tern::json::Raw> any = {};
  std::vector<std::vector<int>> rows = {};
};
struct Circle {
  double radius;
};
struct Square {
  double side;
};
struct Shapes {
  std::vector<std::variant<Circle, Square>> shapes;
};
struct Tree {
  std::string label;
  std::vector<Tree> children = {};
};
struct Money {
  std::string text;
};
struct Payment {
  Money amount;
};
struct Broken {
  std::string text;
};
struct Renamed {
  std::string class_;
  int other = 0;
};
struct Patterned {
  std::string text;
};

}  // namespace rules_test

using rules_test::Account;
using rules_test::Author;
using rules_test::Book;
using rules_test::Broken;
using rules_test::Circle;
using rules_test::Lists;
using rules_test::Money;
using rules_test::Numbers;
using rules_test::Patterned;
using rules_test::Renamed;
using rules_test::Square;
using rules_test::Stay;
using rules_test::Tree;

template <>
struct tern::JsonDefaults<Author> {
  static constexpr std::string_view may_be_missing[] = {"email"};
};
template <>
struct tern::JsonDefaults<Book> {
  static constexpr std::string_view may_be_missing[] = {"year", "tags", "stock", "cover", "editors"};
};
template <>
struct tern::JsonDefaults<Lists> {
  static constexpr bool may_be_missing = true;
};
template <>
struct tern::JsonDefaults<Tree> {
  static constexpr std::string_view may_be_missing[] = {"children"};
};
template <>
struct tern::Rules<Author> {
  static constexpr auto list = tern::rules(tern::member<&Author::name>(tern::not_empty()),
                                           tern::member<&Author::email>(tern::format(tern::Format::Email)));
};
template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(
      tern::describe("A book"),
      tern::member<&Book::title>(tern::length(1, 5), tern::describe("As on the cover"), tern::example("Dune")),
      tern::member<&Book::year>(tern::range(1450, 2100)),
      tern::member<&Book::tags>(tern::items(0, 3), tern::unique_items(), tern::each(tern::length(1, 4))),
      tern::member<&Book::price>(tern::exclusive_minimum(0), tern::multiple_of(0.01)),
      tern::member<&Book::stock>(tern::properties(0, 2), tern::each(tern::minimum(0))),
      tern::member<&Book::cover>(tern::one_of("paper", "cloth")));
};
template <>
struct tern::Rules<Stay> {
  static constexpr auto list = tern::rules(
      tern::member<&Stay::begin>(tern::minimum(0)),
      tern::check<&Stay::end>("end_after_begin", "the end is before the begin",
                              [](const Stay& stay) { return stay.end >= stay.begin; }),
      tern::check("short", "at most 30 days", [](const Stay& stay) { return stay.end - stay.begin <= 30; }));
};
template <>
struct tern::Rules<Account> {
  static constexpr auto list = tern::rules(tern::member<&Account::id>(tern::read_only()),
                                           tern::member<&Account::password>(tern::write_only(), tern::min_length(8)));
};
template <>
struct tern::Rules<Numbers> {
  static constexpr auto list = tern::rules(
      tern::member<&Numbers::low>(tern::range(INT64_MIN + 1, INT64_MAX - 1)),
      tern::member<&Numbers::high>(tern::maximum(UINT64_MAX - 1)),
      tern::member<&Numbers::fraction>(tern::exclusive_minimum(0), tern::exclusive_maximum(9007199254740992.0)),
      tern::member<&Numbers::step>(tern::multiple_of(0.1)), tern::member<&Numbers::even>(tern::multiple_of(2)));
};
template <>
struct tern::Rules<Lists> {
  static constexpr auto list =
      tern::rules(tern::member<&Lists::any>(tern::unique_items()),
                  tern::member<&Lists::rows>(tern::each(tern::max_items(2), tern::each(tern::range(0, 9)))));
};
template <>
struct tern::Rules<Circle> {
  static constexpr auto list = tern::rules(tern::member<&Circle::radius>(tern::exclusive_minimum(0)));
};
template <>
struct tern::Rules<Square> {
  static constexpr auto list = tern::rules(tern::member<&Square::side>(tern::maximum(10)));
};
template <>
struct tern::Rules<Tree> {
  static constexpr auto list = tern::rules(tern::member<&Tree::label>(tern::not_empty()));
};
template <>
struct tern::JsonCodec<Money> {
  static constexpr tern::json::Kinds kinds = tern::json::Kinds::String;
  static void read(tern::json::Reader& reader, Money& money) { reader.text(money.text); }
};
template <>
struct tern::Rules<Money> {
  static constexpr auto list = tern::rules(tern::pattern("^[0-9]+\\.[0-9]{2}$", "must be an amount such as 12.50"));
};
template <>
struct tern::Rules<Broken> {
  static constexpr auto list = tern::rules(tern::member<&Broken::text>(tern::pattern("(")));
};
template <>
struct tern::JsonNames<Renamed> {
  static constexpr tern::json::Rename renames[] = {{"class_", "class/1"}};
};
template <>
struct tern::Rules<Renamed> {
  static constexpr auto list =
      tern::rules(tern::member<&Renamed::class_>(tern::max_length(1)),
                  tern::check<&Renamed::class_>("other", "no", [](const Renamed& value) { return value.other != 1; }));
};
template <>
struct tern::Rules<Patterned> {
  static constexpr auto list = tern::rules(tern::member<&Patterned::text>(tern::pattern("^(a+)+$")));
};

namespace rules_test {

using tern::json::problems_of;

TEST(Rules, take_what_keeps_them) {
  EXPECT_EQ(problems_of<Book>(R"({"title": "Dune", "year": 1965, "tags": ["sf", "sand"], "price": 19.99,
                                  "stock": {"a": 0, "b": 7}, "author": {"name": "F", "email": "f@h.org"},
                                  "cover": "cloth", "editors": [{"name": "x"}]})"),
            "(no problem)");
}

TEST(Rules, report_every_violation_with_its_pointer) {
  EXPECT_EQ(problems_of<Book>(R"({"title": "", "year": 1449, "tags": ["a", "", "toolong", "a"], "price": 0.001,
                                  "stock": {"a": -1, "b/c": -2, "d": 0}, "author": {"name": "", "email": "x"},
                                  "cover": "leather", "editors": [{"name": "x"}, {"name": ""}]})"),
            "/title: must have at least 1 character; /year: must be at least 1450; "
            "/tags: must have at most 3 elements; /tags: must not have equal elements; "
            "/tags/1: must have at least 1 character; /tags/2: must have at most 4 characters; "
            "/price: must be a multiple of 0.01; "
            "/stock: must have at most 2 members; /stock/a: must be at least 0; /stock/b~1c: must be at least 0; "
            "/author/name: must have at least 1 character; /author/email: must be an e-mail address; "
            "/cover: must be \"paper\" or \"cloth\"; /editors/1/name: must have at least 1 character");
}

TEST(Rules, stand_in_one_list_with_what_cannot_be_read) {
  EXPECT_EQ(problems_of<Book>(R"({"year": 1, "tags": [1, ""], "price": "x"})"),
            "/year: must be at least 1450; /tags/0: expected string; /price: expected number; /title: missing");
}

TEST(Rules, have_codes_and_what_they_expect) {
  const auto read = tern::json::read<Book>(
      R"({"title": "123456", "year": "x", "cover": "leather", "price": 0, "author": {"name": "a", "email": "@"}})");
  ASSERT_FALSE(read);
  std::string codes;
  for (const tern::json::Problem& problem : read.error().problems) {
    codes += problem.code + "=" + problem.expected + " ";
  }
  EXPECT_EQ(codes, R"(max_length=5 type= one_of=["paper","cloth"] exclusive_minimum=0 format="email" )");
}

TEST(Rules, say_nothing_about_members_that_are_missing_or_null) {
  EXPECT_EQ(problems_of<Book>(R"({"title": "x", "price": null, "author": null})"), "(no problem)");
}

TEST(Rules, count_code_points) {
  EXPECT_EQ(problems_of<Book>("{\"title\": \"\xC3\xA4\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA4\xC3\xA4\"}"), "(no problem)");
  EXPECT_EQ(
      problems_of<Book>("{\"title\": \"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80"
                        "x\"}"),
      "/title: must have at most 5 characters");
  EXPECT_EQ(problems_of<Account>("{\"name\": \"\", \"password\": \"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\"}"),
            "/password: must have at least 8 characters");
}

TEST(Rules, call_predicates_only_for_a_valid_struct) {
  EXPECT_EQ(problems_of<Stay>(R"({"begin": 3, "end": 5})"), "(no problem)");
  EXPECT_EQ(problems_of<Stay>(R"({"begin": 3, "end": 2})"), "/end: the end is before the begin");
  EXPECT_EQ(problems_of<Stay>(R"({"begin": 3, "end": 99})"), "at most 30 days");
  EXPECT_EQ(problems_of<Stay>(R"({"begin": -1, "end": -9})"), "/begin: must be at least 0");
  EXPECT_EQ(problems_of<std::vector<Stay>>(R"([{"begin": 1, "end": 0}, {"begin": "x"}])"),
            "/0/end: the end is before the begin; /1/begin: expected integer");
}

TEST(Rules, take_read_only_members_from_no_request) {
  const std::string_view text = R"({"id": 7, "name": "n", "password": "12345678"})";
  EXPECT_EQ(tern::json::read<Account>(text)->id, 7);
  const auto request = tern::json::read<Account>(text, {.is_request = true});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, 0);
  EXPECT_EQ(problems_of<Account>(text, {.deny_unknown = true, .is_request = true}), "/id: only in responses");
  // Even a value of another type is not looked at.
  EXPECT_EQ(problems_of<Account>(R"({"id": "x", "name": "n", "password": "12345678"})", {.is_request = true}),
            "(no problem)");
}

TEST(Rules, need_no_write_only_members_in_what_is_no_request) {
  EXPECT_EQ(problems_of<Account>(R"({"id": 7, "name": "n"})"), "(no problem)");
  EXPECT_EQ(problems_of<Account>(R"({"id": 7, "name": "n"})", {.is_request = true}), "/password: missing");
}

TEST(Rules, write_no_write_only_members) {
  EXPECT_EQ(tern::json::to_string(Account{7, "n", "secret"}), R"({"id":7,"name":"n"})");
  EXPECT_EQ(tern::json::to_string(std::vector<Account>{{7, "n", "secret"}}), R"([{"id":7,"name":"n"}])");
}

TEST(Rules, are_exact_at_the_edges_of_64_bits) {
  EXPECT_EQ(problems_of<Numbers>(R"({"low": -9223372036854775807, "high": 18446744073709551614})"), "(no problem)");
  EXPECT_EQ(problems_of<Numbers>(R"({"low": -9223372036854775808, "high": 18446744073709551615})"),
            "/low: must be at least -9223372036854775807; /high: must be at most 18446744073709551614");
  EXPECT_EQ(problems_of<Numbers>(R"({"low": 9223372036854775807})"), "/low: must be at most 9223372036854775806");
  EXPECT_EQ(problems_of<Numbers>(R"({"fraction": 9007199254740991})"), "(no problem)");
  EXPECT_EQ(problems_of<Numbers>(R"({"fraction": 9007199254740992})"), "/fraction: must be less than 9007199254740992");
  EXPECT_EQ(problems_of<Numbers>(R"({"fraction": 0})"), "/fraction: must be more than 0");
  EXPECT_EQ(problems_of<Numbers>(R"({"fraction": 5e-324})"), "(no problem)");
}

TEST(Rules, know_multiples_in_decimals) {
  for (const char* const step : {"0", "-0.0", "0.1", "0.3", "1.1", "-4.7", "1e300", "100", "18446744073709551615",
                                 "1e-1", "123456789012345.6"}) {
    EXPECT_EQ(problems_of<Numbers>(std::string(R"({"step": )") + step + "}"), "(no problem)") << step;
  }
  for (const char* const step :
       {"0.01", "0.15", "1.23", "5e-324", "1e-300", "123456789012.34", "0.30000000000000004"}) {
    EXPECT_EQ(problems_of<Numbers>(std::string(R"({"step": )") + step + "}"), "/step: must be a multiple of 0.1")
        << step;
  }
  EXPECT_EQ(problems_of<Numbers>(R"({"even": -9223372036854775808})"), "(no problem)");
  EXPECT_EQ(problems_of<Numbers>(R"({"even": 9223372036854775807})"), "/even: must be a multiple of 2");
}

TEST(Rules, find_equal_elements_as_json_schema_does) {
  const auto any = [](std::string_view elements) {
    return problems_of<Lists>("{\"any\": " + std::string(elements) + "}");
  };
  const std::string equal = "/any: must not have equal elements";
  EXPECT_EQ(any(R"([1, "1", true, null, [1], {"1": 1}, 0, false, "", [], {}, 1.5, -1, "a"])"), "(no problem)");
  EXPECT_EQ(any("[1, 1.0]"), equal);
  EXPECT_EQ(any("[0, -0.0]"), equal);
  EXPECT_EQ(any("[9223372036854775808, 9223372036854775808.0]"), equal);
  EXPECT_EQ(any("[9223372036854775807, 9223372036854775808]"), "(no problem)");
  EXPECT_EQ(any("[9007199254740993, 9007199254740992.0]"), "(no problem)");
  EXPECT_EQ(any(R"([{"a": 1, "b": [2, 3]}, {"b": [2, 3.0], "a": 1}])"), equal);
  EXPECT_EQ(any(R"([{"a": 1}, {"a": 1, "b": 1}])"), "(no problem)");
  EXPECT_EQ(any("[[1, 2], [2, 1]]"), "(no problem)");
  EXPECT_EQ(any("[null, null]"), equal);
  EXPECT_EQ(any("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,1.0]"), equal);
  EXPECT_EQ(any(R"(["a","b","c","d","e","f","g","h","i","j",{"x":[]},{"x":[]}])"), equal);
}

TEST(Rules, compare_a_hundred_thousand_elements_in_linear_time) {
  std::string distinct = "{\"any\": [";
  for (int i = 0; i < 100'000; ++i)
    distinct += (i % 2 == 0 ? "{\"k\":" : "[") + std::to_string(i) + (i % 2 == 0 ? "}," : "],");
  EXPECT_EQ(problems_of<Lists>(distinct + "0]}"), "(no problem)");
  EXPECT_EQ(problems_of<Lists>(distinct + "[99999.0]]}"), "/any: must not have equal elements");
}

TEST(Rules, hold_for_arrays_of_arrays) {
  EXPECT_EQ(problems_of<Lists>(R"({"rows": [[1, 2], [], [3, 4, 5], [10, -1]]})"),
            "/rows/2: must have at most 2 elements; /rows/3/0: must be at most 9; /rows/3/1: must be at least 0");
}

TEST(Rules, hold_for_the_alternative_of_a_variant) {
  EXPECT_EQ(problems_of<Shapes>(R"({"shapes": [{"radius": 1}, {"side": 2}, {"radius": 0}, {"side": 11}]})"),
            "/shapes/2/radius: must be more than 0; /shapes/3/side: must be at most 10");
}

TEST(Rules, hold_at_every_depth) {
  std::string text = R"({"label": ""})";
  for (int i = 0; i < 20; ++i) text = R"({"label": "x", "children": [)" + text + "]}";
  std::string pointer;
  for (int i = 0; i < 20; ++i) pointer += "/children/0";
  EXPECT_EQ(problems_of<Tree>(text), pointer + "/label: must have at least 1 character");
}

TEST(Rules, hold_for_a_type_with_a_codec) {
  EXPECT_EQ(problems_of<Payment>(R"({"amount": "12.50"})"), "(no problem)");
  EXPECT_EQ(problems_of<Payment>(R"({"amount": "12.5"})"), "/amount: must be an amount such as 12.50");
  EXPECT_EQ(problems_of<Payment>(R"({"amount": 12})"), "/amount: expected string");
}

TEST(Rules, use_the_names_of_the_document) {
  EXPECT_EQ(problems_of<Renamed>(R"({"class/1": "ab"})"), "/class~11: must have at most 1 character");
  EXPECT_EQ(problems_of<Renamed>(R"({"class/1": "a", "other": 1})"), "/class~11: no");
}

TEST(Rules, name_the_member_of_a_malformed_pattern) {
  try {
    problems_of<Broken>(R"({"text": "x"})");
    FAIL() << "it was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string_view(error.what()).find("'(' of rules_test::Broken::text is malformed"),
              std::string_view::npos)
        << error.what();
  }
}

TEST(Rules, match_patterns_against_a_megabyte_in_linear_time) {
  const std::string text = std::string(1'000'000, 'a');
  EXPECT_EQ(problems_of<Patterned>("{\"text\": \"" + text + "\"}"), "(no problem)");
  EXPECT_EQ(problems_of<Patterned>("{\"text\": \"" + text + "!\"}"), "/text: must match ^(a+)+$");
}

TEST(Rules, list_no_more_problems_than_the_limit) {
  std::string text = "{\"rows\": [[";
  for (int i = 0; i < 1000; ++i) text += "99,";
  const auto read = tern::json::read<Lists>(text + "99]]}", {.problems = 100});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().problems.size(), 100U);
}

TEST(Rules, are_a_table_for_others) {
  const tern::json::RuleTable& table = tern::json::rules_of<Book>();
  ASSERT_EQ(table.of_value().size(), 1U);
  EXPECT_EQ(table.of_value()[0].text, "A book");
  ASSERT_EQ(table.of_member(0).size(), 4U);
  EXPECT_EQ(table.of_member(0)[1].kind, tern::json::RuleKind::MaxLength);
  EXPECT_EQ(table.of_member(0)[1].number.count(), 5U);
  EXPECT_EQ(table.of_member(2)[3].depth, 1);
  EXPECT_EQ(table.of_member(7).size(), 0U);
  EXPECT_EQ(tern::json::rules_of<Account>().read_only, 1U);
  EXPECT_EQ(tern::json::rules_of<Account>().write_only, 4U);
  EXPECT_TRUE(tern::json::rules_of<std::string>().empty());
  EXPECT_TRUE(tern::json::rules_of<Shapes>().of_member(0).empty());
}

}  // namespace rules_test
