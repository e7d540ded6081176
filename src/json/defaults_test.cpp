#include <tern/json/defaults.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

enum class Color { Red, Green };

struct Point {
  int x;
  int y;
};
struct Page {
  int limit = 20;
  int offset = 0;
};
struct Scalars {
  int with_zero = 0;
  int without;
  double fraction = 0;
  double bare_fraction;
  bool flag = false;
  bool bare_flag;
  char letter = '\0';
  char bare_letter;
  Color color = Color::Red;
  Color bare_color;
  std::chrono::seconds wait{0};
  std::chrono::seconds bare_wait;
  std::chrono::sys_seconds epoch{};  // equal to the value without an initialiser
  std::chrono::sys_seconds later{std::chrono::seconds(1)};
  std::array<int, 2> pair{};
  std::array<int, 2> bare_pair;
  Point point{};
  Point bare_point;
  Point other_point{1, 2};
};
struct NewBook {
  std::string title;
  std::string author;
  int year;
};
struct Texts {
  std::string title;
  std::string language = "en";
  std::string empty = "";
  std::string long_one = "a text that is too long to be kept inside the string itself";
  std::vector<int> numbers;
  std::vector<int> some_numbers = {1, 2};
  std::optional<int> maybe;
  std::unique_ptr<int> owner;
};
struct TextAndZero {
  std::string name;
  int count = 0;
};
struct Mixed {
  std::string name;
  int bare;
  int zero = 0;
  int three = 3;
};
struct WithMap {
  std::map<std::string, int> map;
  int bare;
  int three = 3;
};
struct WithMapAllSet {
  std::map<std::string, int> map;
  int zero = 0;
  bool flag = false;
};
struct Nested {
  Page page;
  Page other_page{5, 5};
  NewBook book;
  NewBook some_book{"a", "b", 1};
};
struct Strict {
  int limit = 20;
  std::optional<int> maybe;
};
struct Lenient {
  int limit;
  std::string text;
};
struct Listed {
  std::string note;
  std::string title;
  int limit = 20;
};

}  // namespace

template <>
struct tern::JsonDefaults<Strict> {
  static constexpr bool may_be_missing = false;
};
template <>
struct tern::JsonDefaults<Lenient> {
  static constexpr bool may_be_missing = true;
};
template <>
struct tern::JsonDefaults<Listed> {
  static constexpr std::string_view may_be_missing[] = {"note"};
};

namespace tern::json {
namespace {

template <class T>
std::string with_default() {
  std::string found;
  for (std::size_t i = 0; i < member_count<T>(); ++i) {
    if (member_has_default<T>(i)) found.append(member_names<T>()[i]).append(" ");
  }
  return found;
}

TEST(JsonDefaultsRule, finds_initialisers_of_scalars_even_if_they_are_zero) {
  EXPECT_EQ(with_default<Page>(), "limit offset ");
  EXPECT_EQ(with_default<Scalars>(), "with_zero fraction flag letter color wait later pair point other_point ");
  EXPECT_EQ(with_default<Point>(), "");
}

TEST(JsonDefaultsRule, asks_for_text_and_plain_members) {
  EXPECT_EQ(with_default<NewBook>(), "");
}

TEST(JsonDefaultsRule, takes_text_and_containers_that_start_out_with_something) {
  EXPECT_EQ(with_default<Texts>(), "language long_one some_numbers maybe owner ");
}

TEST(JsonDefaultsRule, sees_zero_beside_text_when_all_scalars_have_initialisers) {
  EXPECT_EQ(with_default<TextAndZero>(), "count ");
}

TEST(JsonDefaultsRule, sees_zero_beside_text_and_a_bare_scalar_where_text_can_be_a_constant) {
#if defined(__clang__) && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE <= 12
  EXPECT_EQ(with_default<Mixed>(), "three ");
#else
  EXPECT_EQ(with_default<Mixed>(), "zero three ");
#endif
}

TEST(JsonDefaultsRule, falls_back_to_values_where_the_struct_cannot_be_a_constant) {
  EXPECT_EQ(with_default<WithMap>(), "three ");
  EXPECT_EQ(with_default<WithMapAllSet>(), "zero flag ");
}

TEST(JsonDefaultsRule, looks_into_nested_structs) {
  EXPECT_EQ(with_default<Nested>(), "page other_page some_book ");
}

TEST(JsonDefaultsRule, obeys_the_program) {
  EXPECT_EQ(with_default<Strict>(), "maybe ");
  EXPECT_EQ(with_default<Lenient>(), "limit text ");
  EXPECT_EQ(with_default<Listed>(), "note ");
}

TEST(JsonDefaultsRule, can_be_asked_by_constant_index) {
  EXPECT_TRUE((member_has_default<Scalars, 0>()));
  EXPECT_FALSE((member_has_default<Scalars, 1>()));
}

}  // namespace
}  // namespace tern::json
